"""Every real file of another tool comes in with its answers, verdicts, reasons and people's words."""

import pytest
from foreign_files import counts, taken

from appellate.core.problem import Unusable
from appellate.interop import is_foreign, recognise

COUNTS = {
    "inspect/graded_qa_30x3.eval": (90, 86, 4, 86, 0),
    "inspect/multi_scorer_14x2.eval": (28, 181, 7, 124, 0),
    "inspect/multi_scorer_14x2.json": (28, 181, 7, 124, 0),
    "inspect/security-guide.json": (3, 3, 0, 3, 0),
    "inspect/seed_era_0_3_160_12x2.eval": (24, 45, 3, 45, 0),
    "inspect/theory-of-mind_gpt-4o-mini.eval": (100, 100, 0, 100, 0),
    "interop/deepeval/latest_test_run.json": (1, 1, 0, 1, 0),
    "interop/deepeval/temp_test_run_timeouts.json": (1, 4, 5, 2, 0),
    "interop/deepeval/test_run_sample.json": (1, 2, 0, 2, 0),
    "interop/factool/factool_output_zh.jsonl": (12, 12, 0, 12, 0),
    "interop/factool/knowledge_qa.jsonl": (50, 0, 0, 0, 50),
    "interop/factscore/InstructGPT.jsonl": (25, 0, 0, 0, 25),
    "interop/handmade/braintrust_rows.jsonl": (1, 1, 0, 0, 0),
    "interop/handmade/langsmith_rows.jsonl": (1, 1, 0, 1, 1),
    "interop/handmade/simple_evals_healthbench_allresults.json": (1, 1, 0, 1, 0),
    "interop/healthbench_graded/only_us_full_score.csv": (6, 6, 0, 6, 0),
    "interop/langfuse/trace_langgraph.json": (1, 2, 0, 2, 0),
    "interop/lm_eval/samples_polymer_tg.jsonl": (24, 7, 17, 0, 0),
    "interop/lm_eval/samples_truthfulqa_gen.jsonl": (20, 240, 0, 0, 0),
    "interop/llmbar/natural_gpt4_cot.json": (100, 100, 0, 100, 100),
    "interop/mlflow/made_traces.jsonl": (3, 4, 1, 2, 2),
    "interop/pandalm/testset-v1.json": (300, 0, 0, 0, 300),
    "interop/promptfoo/context_window_v3.json": (8, 32, 0, 32, 0),
    "interop/promptfoo/hallucination_v3.json": (12, 56, 0, 56, 0),
    "interop/promptfoo/made_errors.csv": (16, 28, 4, 12, 0),
    "interop/promptfoo/made_errors.jsonl": (16, 24, 4, 24, 0),
    "interop/promptfoo/made_rated_human_v3.json": (16, 32, 12, 32, 6),
    "interop/promptfoo/session1_no_metrics_v3.json": (2, 2, 0, 2, 0),
    "interop/ragas/annotated_data.json": (21, 21, 0, 21, 16),
    "interop/ragas/results_fr.csv": (6, 7, 17, 0, 0),
    "karenina/results.csv": (1, 3, 0, 0, 0),
    "karenina/results_frontend.csv": (1, 3, 0, 0, 0),
    "karenina/results_frontend_array.json": (1, 3, 0, 0, 0),
    "karenina/results_v2.2.json": (1, 4, 0, 0, 0),
    "karenina/taskeval_export.json": (1, 3, 0, 0, 0),
}
REFUSED = {
    "interop/atif/openhands_hello-world.trajectory.json": "no verdict is in it",
    "interop/handmade/langfuse_scores_blob_export.jsonl": "langfuse scores without the answers",
    "interop/handmade/otel_evaluation_event.jsonl": "OpenTelemetry scores without the answers",
    "interop/handmade/phoenix_annotations.jsonl": "phoenix scores without the answers",
    "interop/pandalm/gpt-3.5-turbo-testset-v1.json": "verdicts without the responses",
    "interop/langfuse/trace_autogen_nested.json": "no verdict is in it",
    "interop/openinference/client_span_tool_calls.json": "no verdict is in it",
    "interop/xstest/gpt4_gpteval.csv": "no verdict is in it",
    "karenina/checkpoint_metric.jsonld": "questions but no answers",
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_file_comes_in_whole(shared, tmp_path, name):
    path = shared / "data" / name
    assert is_foreign(path)
    with taken(tmp_path, path) as found:
        assert counts(found) == COUNTS[name]
        assert found.workspace.cells.count() >= found.verdicts + found.failed


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_answers_or_verdicts_is_refused_with_what_it_has(
    shared,
    tmp_path,
    name,
):
    with (
        pytest.raises(Unusable, match=REFUSED[name]),
        taken(tmp_path, shared / "data" / name),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_no_answer_is_empty_but_where_the_tool_got_none(shared):
    for name in COUNTS:
        for trace in recognise.read([shared / "data" / name]).traces():
            # of two, one may be
            if not trace.record.get("response") and "other" not in trace.record:
                assert trace.unanswered
                assert all(verdict.failed for verdict in trace.judged)


def test_our_own_files_are_not_foreign(shared, tmp_path):
    audit = tmp_path / "x.audit.toml"
    audit.write_text('format = "appellate-audit/1"\n', "utf-8")
    assert not is_foreign(audit)
    assert not is_foreign(shared / "data/healthbench/rubric.toml")
    assert not is_foreign(tmp_path / "nothing.json")

"""Files in and out: rubrics, traces, audits and the workspace."""

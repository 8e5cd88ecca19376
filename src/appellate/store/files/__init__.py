"""Files that people write: rubrics, traces, audits as text; written whole or not at all."""

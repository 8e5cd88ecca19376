"""The audit in its TOML file and beside its workspace, and audits made of audits."""

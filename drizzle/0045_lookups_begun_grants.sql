GRANT UPDATE (lookups_begun) ON action_gate.execution_jobs TO action_gate_runtime;

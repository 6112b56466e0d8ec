GRANT UPDATE (uncounted) ON action_gate.execution_jobs TO action_gate_runtime;

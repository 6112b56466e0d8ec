-- Whoever is called back says in the job what was called back, under the lock of the job.
GRANT UPDATE (called_back) ON action_gate.execution_jobs TO action_gate_runtime;

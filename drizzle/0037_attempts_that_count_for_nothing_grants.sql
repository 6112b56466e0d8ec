ALTER TABLE action_gate.execution_jobs VALIDATE CONSTRAINT execution_jobs_attempts;
--> statement-breakpoint
GRANT UPDATE (uncounted) ON action_gate.execution_jobs TO action_gate_runtime;

GRANT UPDATE (leases_lost, retry_until) ON action_gate.execution_jobs TO action_gate_runtime;
--> statement-breakpoint
-- A claim tells until when its action is tried again; those under way were claimed before there was such a time.
UPDATE action_gate.execution_jobs SET retry_until = now() + interval '1 hour' WHERE state = 'leased';

-- A request is claimed and gets the token of its e-mail; it goes when it was answered, or could be no more.
GRANT SELECT, INSERT, DELETE ON action_gate.password_resets TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (token_hash, attempts, next_attempt_at) ON action_gate.password_resets TO action_gate_runtime;

-- What the runtime role may do: nothing that rewrites history (audit.md section 6).
GRANT USAGE ON SCHEMA action_gate TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT ON action_gate.action_events, action_gate.event_payloads, action_gate.policy_revisions TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT ON action_gate.actions, action_gate.execution_jobs, action_gate.tenants, action_gate.api_keys TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (status, event_count, leaf_hashes, audit_root, updated_at, held_until) ON action_gate.actions TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (state, attempt, next_run_at, lease_owner, lease_token, lease_expires_at, maybe_executed, key_honoured, last_error) ON action_gate.execution_jobs TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (governing_version, policy_revision, approval_ttl_ms) ON action_gate.tenants TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (revoked_at) ON action_gate.api_keys TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.actuators TO action_gate_runtime;
--> statement-breakpoint
GRANT USAGE ON SEQUENCE action_gate.lease_tokens TO action_gate_runtime;
--> statement-breakpoint
CREATE FUNCTION action_gate.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: its rows are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER action_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.action_events
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_append_only;
--> statement-breakpoint
CREATE TRIGGER policy_revisions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.policy_revisions
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
ALTER TABLE action_gate.policy_revisions ENABLE ALWAYS TRIGGER policy_revisions_append_only;

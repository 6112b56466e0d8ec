GRANT SELECT, INSERT, DELETE ON action_gate.log_outbox, action_gate.unsigned_statements TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT ON action_gate.tenant_logs, action_gate.log_entries, action_gate.log_nodes, action_gate.log_checkpoints, action_gate.action_statements, action_gate.log_keys, action_gate.signing_keys TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (size, root, signed_size, witnessed_size, cosignature, witness_asked_at) ON action_gate.tenant_logs TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (status, ended_at) ON action_gate.signing_keys TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (told_status, first_size, last_size) ON action_gate.log_keys TO action_gate_runtime;
--> statement-breakpoint
-- Content may be erased, which takes an erasure event of the same action; it is never changed.
GRANT DELETE ON action_gate.event_payloads, action_gate.late_results TO action_gate_runtime;
--> statement-breakpoint
CREATE FUNCTION action_gate.refuse_silent_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM action_gate.action_events e
    WHERE e.action_id = OLD.action_id AND e.kind = 'erasure'
      AND e.sequence > coalesce((to_jsonb(OLD) ->> 'sequence')::int4, -1)
  ) THEN
    RAISE EXCEPTION 'content is erased together with an event that says so' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The hash of a proposal has no salt, so that it goes with what it would let somebody guess; it is never changed.
GRANT UPDATE (proposal_hash) ON action_gate.actions TO action_gate_runtime;
--> statement-breakpoint
DROP TRIGGER actions_only_forward ON action_gate.actions;
--> statement-breakpoint
CREATE TRIGGER actions_only_forward BEFORE UPDATE ON action_gate.actions
  FOR EACH ROW WHEN (NEW.event_count < OLD.event_count OR (NEW.proposal_hash <> OLD.proposal_hash AND NEW.proposal_hash <> ''))
  EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.actions ENABLE ALWAYS TRIGGER actions_only_forward';
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER event_payloads_erased_openly AFTER DELETE ON action_gate.event_payloads
  FOR EACH ROW EXECUTE FUNCTION action_gate.refuse_silent_erasure();
--> statement-breakpoint
DROP TRIGGER late_results_append_only ON action_gate.late_results;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER late_results_erased_openly AFTER DELETE ON action_gate.late_results
  FOR EACH ROW EXECUTE FUNCTION action_gate.refuse_silent_erasure();
--> statement-breakpoint
CREATE TRIGGER late_results_never_changed BEFORE UPDATE OR TRUNCATE ON action_gate.late_results
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
CREATE TRIGGER event_payloads_never_changed BEFORE UPDATE OR TRUNCATE ON action_gate.event_payloads
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['event_payloads', 'late_results'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ALWAYS TRIGGER %I', name, name || '_erased_openly');
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ALWAYS TRIGGER %I', name, name || '_never_changed');
  END LOOP;
END $$;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['log_entries', 'log_nodes', 'log_checkpoints', 'action_statements'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.%I FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change()', name || '_append_only', name);
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ALWAYS TRIGGER %I', name, name || '_append_only');
  END LOOP;
END $$;
--> statement-breakpoint
-- A key that has ended is never used again.
CREATE TRIGGER signing_keys_only_forward BEFORE UPDATE ON action_gate.signing_keys
  FOR EACH ROW WHEN (
    OLD.status = 'compromised' AND NEW.status <> 'compromised'
    OR OLD.status = 'retired' AND NEW.status NOT IN ('retired', 'compromised')) EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
CREATE TRIGGER log_keys_only_forward BEFORE UPDATE ON action_gate.log_keys
  FOR EACH ROW WHEN (NEW.first_size <> OLD.first_size OR NEW.last_size < OLD.last_size) EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.signing_keys ENABLE ALWAYS TRIGGER signing_keys_only_forward';
  EXECUTE 'ALTER TABLE action_gate.log_keys ENABLE ALWAYS TRIGGER log_keys_only_forward';
END $$;
--> statement-breakpoint
-- A log only grows: a size that was signed is never taken back.
CREATE TRIGGER tenant_logs_only_forward BEFORE UPDATE ON action_gate.tenant_logs
  FOR EACH ROW WHEN (
    NEW.size < OLD.size OR NEW.signed_size < OLD.signed_size OR NEW.witnessed_size < OLD.witnessed_size
    OR NEW.log_id <> OLD.log_id OR (NEW.size = OLD.size AND NEW.root <> OLD.root)) EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.tenant_logs ENABLE ALWAYS TRIGGER tenant_logs_only_forward';
END $$;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['log_outbox', 'tenant_logs', 'log_entries', 'log_nodes', 'log_checkpoints', 'log_keys', 'unsigned_statements', 'action_statements'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;
--> statement-breakpoint
-- What was recorded before there was a log is integrated as it stands, the configuration of a tenant first.
INSERT INTO action_gate.log_outbox (tenant_id, stream, first_sequence, event_count)
SELECT tenant_id, 'config', 0, config_event_count FROM action_gate.tenants WHERE config_event_count > 0 ORDER BY tenant_id;
--> statement-breakpoint
INSERT INTO action_gate.log_outbox (tenant_id, stream, first_sequence, event_count)
SELECT tenant_id, 'action/' || action_id, 0, event_count FROM action_gate.actions ORDER BY action_id;

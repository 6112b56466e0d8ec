GRANT SELECT, INSERT, DELETE ON action_gate.log_outbox, action_gate.unsigned_statements TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT ON action_gate.tenant_logs, action_gate.log_entries, action_gate.log_nodes, action_gate.log_checkpoints, action_gate.action_statements, action_gate.signing_keys TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (size, root) ON action_gate.tenant_logs TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (status, ended_at) ON action_gate.signing_keys TO action_gate_runtime;
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
-- A log only grows: a size that was signed is never taken back.
CREATE TRIGGER tenant_logs_only_forward BEFORE UPDATE ON action_gate.tenant_logs
  FOR EACH ROW WHEN (NEW.size <= OLD.size OR NEW.log_id <> OLD.log_id) EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.tenant_logs ENABLE ALWAYS TRIGGER tenant_logs_only_forward';
END $$;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['log_outbox', 'tenant_logs', 'log_entries', 'log_nodes', 'log_checkpoints', 'unsigned_statements', 'action_statements'] LOOP
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

GRANT SELECT, INSERT ON action_gate.verification_reports, action_gate.report_signatures TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON action_gate.unsigned_reports, action_gate.workers TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (seen_at) ON action_gate.workers TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (verification_gate) ON action_gate.tenants TO action_gate_runtime;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['verification_reports', 'report_signatures'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.%I FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change()', name || '_append_only', name);
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ALWAYS TRIGGER %I', name, name || '_append_only');
  END LOOP;
END $$;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['verification_reports', 'report_signatures', 'unsigned_reports'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;

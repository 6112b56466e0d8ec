GRANT SELECT, INSERT ON action_gate.late_results TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (rounds, needs_operator) ON action_gate.execution_jobs TO action_gate_runtime;
--> statement-breakpoint
CREATE TRIGGER late_results_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.late_results
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
ALTER TABLE action_gate.late_results ENABLE ALWAYS TRIGGER late_results_append_only;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.late_results ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.late_results TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;

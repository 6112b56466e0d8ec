-- Kept while an operation goes on, and forgotten after it: nothing of it is history.
GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.dispatched_operations TO action_gate_runtime;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.dispatched_operations ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.dispatched_operations TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;

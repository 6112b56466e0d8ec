-- Test calls that wait for a worker: taken once, answered once, and forgotten; nothing of them is history.
GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.test_calls TO action_gate_runtime;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.test_calls ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.test_calls TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.kept_places TO action_gate_runtime;
--> statement-breakpoint
DO $$
BEGIN
  ALTER TABLE action_gate.kept_places ENABLE ROW LEVEL SECURITY;
  CREATE POLICY tenant_scope ON action_gate.kept_places TO action_gate_runtime
    USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id));
END $$;

GRANT SELECT, INSERT ON action_gate.organizations, action_gate.accounts, action_gate.password_pepper, action_gate.tenant_owners TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON action_gate.sessions, action_gate.devices TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (idle_expires_at) ON action_gate.sessions TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (tenant_count) ON action_gate.organizations TO action_gate_runtime;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.tenant_owners ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.tenant_owners TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;

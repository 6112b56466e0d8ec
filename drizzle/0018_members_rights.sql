-- What a member may do changes, and who was removed opens nothing any more: what they did stays under their account.
GRANT UPDATE (membership, password_hash) ON action_gate.accounts TO action_gate_runtime;
GRANT SELECT, INSERT, DELETE ON action_gate.member_roles, action_gate.organization_groups, action_gate.organization_group_members TO action_gate_runtime;
-- An invitation is accepted once or revoked; when it was over for long, it goes.
GRANT SELECT, INSERT, DELETE ON action_gate.invitations TO action_gate_runtime;
GRANT UPDATE (accepted_by, revoked_at) ON action_gate.invitations TO action_gate_runtime;
-- What an issuer told counts once; it goes when it could count no more.
GRANT SELECT, INSERT, DELETE ON action_gate.logout_tokens TO action_gate_runtime;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.member_roles ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.member_roles TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;
--> statement-breakpoint
-- Everybody who was there owns their organization: checked without keeping anybody out.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.accounts VALIDATE CONSTRAINT accounts_membership';
END $$;

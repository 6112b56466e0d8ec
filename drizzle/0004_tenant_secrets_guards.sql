-- Secrets of tenants: the service writes and replaces them, and never takes a row away, so that no version is made twice.
GRANT SELECT, INSERT, UPDATE ON action_gate.tenant_secrets TO action_gate_runtime;
--> statement-breakpoint
-- A version is one value of one actuator: another value is a later version. A data key may be wrapped anew.
CREATE TRIGGER tenant_secrets_only_forward BEFORE UPDATE ON action_gate.tenant_secrets
  FOR EACH ROW WHEN (
    NEW.version < OLD.version OR NEW.tenant_id <> OLD.tenant_id OR NEW.name <> OLD.name
    OR (NEW.version = OLD.version AND (
      NEW.actuator <> OLD.actuator OR (NEW.sealed IS NOT NULL AND NEW.sealed IS DISTINCT FROM OLD.sealed))))
  EXECUTE FUNCTION action_gate.refuse_change();
ALTER TABLE action_gate.tenant_secrets ENABLE ALWAYS TRIGGER tenant_secrets_only_forward;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.tenant_secrets ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.tenant_secrets TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;

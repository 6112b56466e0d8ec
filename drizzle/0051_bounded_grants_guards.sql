-- A grant is made and revoked; each is an event of the configuration. Its uses are only ever added.
GRANT SELECT, INSERT ON action_gate.bounded_grants, action_gate.grant_uses TO action_gate_runtime;
GRANT UPDATE (revoked_at) ON action_gate.bounded_grants TO action_gate_runtime;
--> statement-breakpoint
-- What a grant says never changes, and a revocation is for ever.
CREATE TRIGGER bounded_grants_only_forward BEFORE UPDATE ON action_gate.bounded_grants
  FOR EACH ROW WHEN (
    OLD.revoked_at IS NOT NULL OR NEW.tenant_id <> OLD.tenant_id OR NEW.grant_id <> OLD.grant_id OR NEW.clause <> OLD.clause
    OR NEW.clause_hash <> OLD.clause_hash OR NEW.uses_max <> OLD.uses_max OR NEW.ends_at <> OLD.ends_at
    OR NEW.created_at <> OLD.created_at)
  EXECUTE FUNCTION action_gate.refuse_change();
ALTER TABLE action_gate.bounded_grants ENABLE ALWAYS TRIGGER bounded_grants_only_forward;
CREATE TRIGGER grant_uses_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.grant_uses
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
ALTER TABLE action_gate.grant_uses ENABLE ALWAYS TRIGGER grant_uses_append_only;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['bounded_grants', 'grant_uses'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;
--> statement-breakpoint
-- The last guard of a grant. A use is the next one, within the number that the grant says, before its end and its revocation,
-- of an action of its own key and operation whose recorded verdict names this clause and this use. The lock of the grant makes
-- uses wait for each other and for a revocation.
CREATE FUNCTION action_gate.refuse_use() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  granted record;
  clause json;
  verdict json;
BEGIN
  SELECT g.* INTO granted FROM action_gate.bounded_grants g
  WHERE g.tenant_id = NEW.tenant_id AND g.grant_id = NEW.grant_id FOR NO KEY UPDATE;
  clause := convert_from(granted.clause, 'UTF8')::json;
  SELECT convert_from(p.payload, 'UTF8')::json INTO verdict
  FROM action_gate.event_payloads p WHERE p.action_id = NEW.action_id AND p.sequence = 1;
  IF NOT coalesce(
    NEW.use = 1 + (SELECT count(*) FROM action_gate.grant_uses u WHERE u.tenant_id = NEW.tenant_id AND u.grant_id = NEW.grant_id)
    AND NEW.use <= granted.uses_max AND granted.revoked_at IS NULL AND clock_timestamp() < granted.ends_at + interval '30 seconds'
    AND EXISTS (
      SELECT FROM action_gate.actions a
      WHERE a.action_id = NEW.action_id AND a.tenant_id = NEW.tenant_id AND a.key_id = clause ->> 'key_id'
        AND a.target_system = clause ->> 'system' AND a.operation = clause ->> 'operation' AND a.created_at < granted.ends_at
    )
    AND verdict ->> 'decision' = 'allow' AND verdict #>> '{grant,clause_hash}' = granted.clause_hash
    AND (verdict #>> '{grant,use}')::int4 = NEW.use, false)
  THEN
    RAISE EXCEPTION 'the grant % has no use % for this action', NEW.grant_id, NEW.use USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END;
$$;
CREATE TRIGGER grant_uses_in_turn BEFORE INSERT ON action_gate.grant_uses
  FOR EACH ROW EXECUTE FUNCTION action_gate.refuse_use();
ALTER TABLE action_gate.grant_uses ENABLE ALWAYS TRIGGER grant_uses_in_turn;

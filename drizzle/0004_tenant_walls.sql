-- Actions of before say what they are in their recorded proposal and verdict; what was erased is named by nothing.
UPDATE action_gate.actions a SET
  operation = coalesce((SELECT convert_from(p.payload, 'UTF8')::jsonb #>> '{action,operation}' FROM action_gate.event_payloads p WHERE p.action_id = a.action_id AND p.sequence = 0), ''),
  key_id = coalesce((SELECT convert_from(p.payload, 'UTF8')::jsonb #>> '{principal,key_id}' FROM action_gate.event_payloads p WHERE p.action_id = a.action_id AND p.sequence = 1), '');
--> statement-breakpoint
GRANT SELECT, INSERT ON action_gate.catalog_revisions, action_gate.config_events, action_gate.config_payloads TO action_gate_runtime;
--> statement-breakpoint
GRANT UPDATE (catalog_revision, config_event_count, config_last_leaf) ON action_gate.tenants TO action_gate_runtime;
--> statement-breakpoint
GRANT SELECT, INSERT, DELETE ON action_gate.freezes TO action_gate_runtime;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['config_events', 'catalog_revisions'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.%I FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change()', name || '_append_only', name);
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ALWAYS TRIGGER %I', name, name || '_append_only');
  END LOOP;
END $$;
--> statement-breakpoint
-- What stands beside a stream only moves forward with it: nobody sets an action or a tenant back to an earlier event.
CREATE TRIGGER actions_only_forward BEFORE UPDATE ON action_gate.actions
  FOR EACH ROW WHEN (NEW.event_count < OLD.event_count) EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
ALTER TABLE action_gate.actions ENABLE ALWAYS TRIGGER actions_only_forward;
--> statement-breakpoint
CREATE TRIGGER tenants_only_forward BEFORE UPDATE ON action_gate.tenants
  FOR EACH ROW WHEN (NEW.config_event_count < OLD.config_event_count OR NEW.governing_version < OLD.governing_version)
  EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
ALTER TABLE action_gate.tenants ENABLE ALWAYS TRIGGER tenants_only_forward;
--> statement-breakpoint
-- The second wall between tenants: a row is only there for a transaction whose scope has its tenant.
CREATE FUNCTION action_gate.in_scope(tenant text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT current_setting('action_gate.tenants', true) = '*'
    OR tenant = ANY (string_to_array(current_setting('action_gate.tenants', true), ','))
$$;
--> statement-breakpoint
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['tenants', 'policy_revisions', 'catalog_revisions', 'actuators', 'freezes', 'api_keys', 'actions', 'action_events', 'event_payloads', 'execution_jobs', 'config_events', 'config_payloads'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;

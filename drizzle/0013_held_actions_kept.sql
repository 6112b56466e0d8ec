-- What waits for a person is listed and searched here; it is written with its action.
GRANT SELECT, INSERT ON action_gate.held_actions TO action_gate_runtime;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.held_actions ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY tenant_scope ON action_gate.held_actions TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))';
END $$;
--> statement-breakpoint
-- Whoever ends a hold takes its row away, under the rights of the owner: the service itself hides nothing from an inbox.
CREATE FUNCTION action_gate.unlist_held() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  DELETE FROM action_gate.held_actions WHERE tenant_id = OLD.tenant_id AND action_id = OLD.action_id;
  RETURN NULL;
END $$;
CREATE TRIGGER actions_held_unlisted AFTER UPDATE OF status ON action_gate.actions
  FOR EACH ROW WHEN (OLD.status = 'pending_approval' AND NEW.status <> 'pending_approval') EXECUTE FUNCTION action_gate.unlist_held();
ALTER TABLE action_gate.actions ENABLE ALWAYS TRIGGER actions_held_unlisted;
--> statement-breakpoint
-- What waits already.
INSERT INTO action_gate.held_actions (tenant_id, action_id, held_until, agent_id, target_system, operation, risk, review_route, searched)
SELECT a.tenant_id, a.action_id, a.held_until, proposed.actor ->> 'agent_id', a.target_system, a.operation,
  decided.effective_risk ->> 'level', coalesce(decided.review_route, ''),
  left(replace(lower(concat(proposed.summary, ' ', proposed.action -> 'parameters')), '"', ''), 4000)
FROM action_gate.actions a
JOIN action_gate.event_payloads p ON p.action_id = a.action_id AND p.sequence = 0
JOIN action_gate.event_payloads v ON v.action_id = a.action_id AND v.sequence = 1,
  json_to_record(convert_from(p.payload, 'UTF8')::json) proposed(actor json, summary json, action json),
  json_to_record(convert_from(v.payload, 'UTF8')::json) decided(effective_risk json, review_route text)
WHERE a.status = 'pending_approval'
ON CONFLICT DO NOTHING;

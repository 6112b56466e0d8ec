-- A tenant's Slack app and its links are replaced and deleted; each change by hand is an event of its configuration.
GRANT SELECT, INSERT, DELETE ON action_gate.slack_apps, action_gate.slack_links, action_gate.slack_requests TO action_gate_runtime;
GRANT UPDATE (team_id, sealed_secret, registered_at) ON action_gate.slack_apps TO action_gate_runtime;
GRANT UPDATE (user_id, linked_at, code_hash, code_expires_at) ON action_gate.slack_links TO action_gate_runtime;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['slack_apps', 'slack_links', 'slack_requests'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;
--> statement-breakpoint
-- The last guard of a decision in Slack: the user of the workspace is linked to the account that the event names. It looks
-- after the whole statement, which writes event and payload.
CREATE FUNCTION action_gate.refuse_unlinked() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  via json;
BEGIN
  -- Most decisions do not say so, and are not parsed.
  SELECT convert_from(p.payload, 'UTF8')::json -> 'via' INTO via
  FROM action_gate.event_payloads p
  WHERE p.action_id = NEW.action_id AND p.sequence = NEW.sequence AND position('"via":'::bytea IN p.payload) > 0;
  IF via IS NULL OR EXISTS (
    SELECT FROM action_gate.slack_links l JOIN action_gate.slack_apps a USING (tenant_id)
    WHERE via ->> 'kind' = 'slack' AND l.tenant_id = NEW.tenant_id AND l.user_id = via ->> 'user_id'
      AND a.team_id = via ->> 'team_id'
      AND l.account_id = convert_from(NEW.event, 'UTF8')::json #>> '{principal,id}'
  ) THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'nobody is linked who gives this % in Slack', NEW.kind USING ERRCODE = 'restrict_violation';
END;
$$;
CREATE TRIGGER action_events_via_slack AFTER INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind IN ('approval', 'partial_approval', 'rejection')) EXECUTE FUNCTION action_gate.refuse_unlinked();
ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_via_slack;

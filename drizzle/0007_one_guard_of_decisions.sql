-- One guard of whoever decides, where there were three: Postgres prepares the condition of every trigger anew for each
-- statement that adds events, 20 µs each, also where none of them is a decision. It looks after the whole statement, which
-- writes event and payload.
--
-- In Slack: the user of the workspace is linked to the account that the event names. On a route: a decision or an edit is of
-- a person whom a group of the frozen route has now, or of the delegate of one. The group that helps counts once it was
-- asked. No group gives more than the route can use, nobody counts twice, and an action goes on when each group has given
-- its own.
CREATE FUNCTION action_gate.refuse_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  verdict json;
  said json;
  given json[];
  counted text[];
  needed int4;
  lacking int4;
  surplus int4;
BEGIN
  -- Most decisions name neither, and are not parsed.
  SELECT convert_from(p.payload, 'UTF8')::json INTO said
  FROM action_gate.event_payloads p
  WHERE p.action_id = NEW.action_id AND p.sequence = NEW.sequence
    AND (position('"via":'::bytea IN p.payload) > 0 OR position('"group":'::bytea IN p.payload) > 0);
  IF NEW.kind <> 'supersession' AND said -> 'via' IS NOT NULL AND NOT EXISTS (
    SELECT FROM action_gate.slack_links l JOIN action_gate.slack_apps a USING (tenant_id)
    WHERE said #>> '{via,kind}' = 'slack' AND l.tenant_id = NEW.tenant_id AND l.user_id = said #>> '{via,user_id}'
      AND a.team_id = said #>> '{via,team_id}'
      AND l.account_id = convert_from(NEW.event, 'UTF8')::json #>> '{principal,id}'
  ) THEN
    RAISE EXCEPTION 'nobody is linked who gives this % in Slack', NEW.kind USING ERRCODE = 'restrict_violation';
  END IF;
  -- A process from before the guard of edits says no group, and its edits pass until it is replaced.
  IF NEW.kind = 'supersession' AND said -> 'group' IS NULL THEN
    RETURN NULL;
  END IF;
  -- Most verdicts have no route, and are not parsed.
  SELECT convert_from(p.payload, 'UTF8')::json INTO verdict
  FROM action_gate.event_payloads p
  WHERE p.action_id = NEW.action_id AND p.sequence = 1 AND position('"route":'::bytea IN p.payload) > 0;
  IF verdict -> 'route' IS NULL AND NEW.kind <> 'supersession' THEN
    RETURN NULL;
  END IF;
  IF NOT coalesce(
    said ->> 'route_hash' = verdict ->> 'route_hash'
    AND EXISTS (SELECT FROM json_array_elements(verdict #> '{route,required}') d WHERE d ->> 'group' = said ->> 'group')
    AND (
      said -> 'stands_in' IS NULL
      OR said ->> 'stands_in' = verdict #>> '{route,escalate,group}'
        AND EXISTS (SELECT FROM action_gate.action_events e WHERE e.action_id = NEW.action_id AND e.kind = 'escalation')
    )
    AND EXISTS (
      SELECT FROM action_gate.review_groups g, jsonb_array_elements(g.members) m
      WHERE g.tenant_id = NEW.tenant_id AND g.name = coalesce(said ->> 'stands_in', said ->> 'group')
        AND m ->> 'holder' = coalesce(said ->> 'on_behalf_of', said ->> 'holder')
    )
    AND (
      said -> 'on_behalf_of' IS NULL
      OR EXISTS (
        SELECT FROM action_gate.review_absences a
        WHERE a.tenant_id = NEW.tenant_id AND a.absent = said ->> 'on_behalf_of' AND a.delegate = said ->> 'holder'
          AND a.absent_until > (convert_from(NEW.event, 'UTF8')::json ->> 'at')::timestamptz
      )
    ), false)
  THEN
    RAISE EXCEPTION 'the route of an action has nobody who %',
      CASE NEW.kind WHEN 'supersession' THEN 'makes this edit' ELSE 'gives this ' || NEW.kind END
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.kind IN ('rejection', 'supersession') THEN
    RETURN NULL;
  END IF;
  given := array(
    SELECT convert_from(p.payload, 'UTF8')::json
    FROM action_gate.action_events e JOIN action_gate.event_payloads p USING (action_id, sequence)
    WHERE e.action_id = NEW.action_id AND e.kind IN ('partial_approval', 'approval')
  );
  SELECT sum(wanted), sum(greatest(0, wanted - has)), sum(greatest(0, has - wanted)) INTO needed, lacking, surplus
  FROM (
    SELECT (d ->> 'approvals')::int4 AS wanted,
      (SELECT count(*) FROM unnest(given) g WHERE g ->> 'group' = d ->> 'group') AS has
    FROM json_array_elements(verdict #> '{route,required}') d
  ) groups;
  counted := array(SELECT g ->> 'holder' FROM unnest(given) g)
    || array(SELECT g ->> 'on_behalf_of' FROM unnest(given) g WHERE g -> 'on_behalf_of' IS NOT NULL);
  IF surplus > greatest(0, coalesce((verdict ->> 'approvals_required')::int4, 1) - needed)
    OR (NEW.kind = 'approval' AND lacking > 0)
    OR verdict ->> 'proposer_holder' = ANY (counted)
    OR cardinality(counted) > (SELECT count(DISTINCT one) FROM unnest(counted) one)
  THEN
    RAISE EXCEPTION 'the route of an action takes no % for %', NEW.kind, said ->> 'group' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER action_events_decided AFTER INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind IN ('approval', 'partial_approval', 'rejection', 'supersession'))
  EXECUTE FUNCTION action_gate.refuse_decision();
--> statement-breakpoint
ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_decided;
--> statement-breakpoint
DROP TRIGGER action_events_on_route ON action_gate.action_events;
--> statement-breakpoint
DROP TRIGGER action_events_via_slack ON action_gate.action_events;
--> statement-breakpoint
DROP TRIGGER action_events_edit_on_route ON action_gate.action_events;
--> statement-breakpoint
DROP FUNCTION action_gate.refuse_off_route();
--> statement-breakpoint
DROP FUNCTION action_gate.refuse_unlinked();
--> statement-breakpoint
DROP FUNCTION action_gate.refuse_outside_edit();

-- The last guard of a hold: once it is over, what waited for a person is denied and nothing else. The clock is that of the
-- database, and the tolerance that of the verifier (specification.md#audit-verifier). The condition is part of the trigger,
-- so that an action that is on time calls no function.
CREATE FUNCTION action_gate.refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the hold of an action was over at %: it is denied, and nothing else', OLD.held_until USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER actions_held_in_time BEFORE UPDATE ON action_gate.actions
  FOR EACH ROW WHEN (
    OLD.status = 'pending_approval' AND NEW.status <> 'denied' AND NEW.event_count > OLD.event_count
    AND OLD.held_until < clock_timestamp() - interval '60 seconds')
  EXECUTE FUNCTION action_gate.refuse_late();
--> statement-breakpoint
-- Another group is asked once, and not before the route says so: the event of it takes away when that is due, under the
-- rights of the owner. The time was compared by the same clock just before, which may be set back by a little.
CREATE OR REPLACE FUNCTION action_gate.unlist_escalation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  due timestamptz;
BEGIN
  SELECT coalesce(h.escalates_at, 'infinity') INTO due
  FROM action_gate.held_actions h WHERE h.tenant_id = NEW.tenant_id AND h.action_id = NEW.action_id;
  IF due > clock_timestamp() + interval '1 second' THEN
    RAISE EXCEPTION 'the route of an action asks for no help before %', due USING ERRCODE = 'restrict_violation';
  END IF;
  UPDATE action_gate.held_actions SET escalates_at = NULL WHERE tenant_id = NEW.tenant_id AND action_id = NEW.action_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The same guard for an edit as for every other decision on a route: it is of a person whom a group of the frozen route has
-- now, or of the delegate of one. A process from before this says no group, and its edits pass until it is replaced.
CREATE FUNCTION action_gate.refuse_outside_edit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  verdict json;
  said json;
BEGIN
  SELECT convert_from(p.payload, 'UTF8')::json INTO said
  FROM action_gate.event_payloads p
  WHERE p.action_id = NEW.action_id AND p.sequence = NEW.sequence AND position('"group":'::bytea IN p.payload) > 0;
  IF said -> 'group' IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT convert_from(p.payload, 'UTF8')::json INTO verdict
  FROM action_gate.event_payloads p WHERE p.action_id = NEW.action_id AND p.sequence = 1;
  IF coalesce(
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
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the route of an action has nobody who makes this edit' USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER action_events_edit_on_route AFTER INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind = 'supersession') EXECUTE FUNCTION action_gate.refuse_outside_edit();
--> statement-breakpoint
ALTER TABLE action_gate.actions ENABLE ALWAYS TRIGGER actions_held_in_time;
--> statement-breakpoint
ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_edit_on_route;

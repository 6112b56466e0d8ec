-- What a tenant says about who decides is replaced and deleted; each change is an event of its configuration.
GRANT SELECT, INSERT, DELETE ON action_gate.review_groups, action_gate.review_routes, action_gate.review_absences TO action_gate_runtime;
GRANT UPDATE (members, updated_at) ON action_gate.review_groups TO action_gate_runtime;
GRANT UPDATE (route, updated_at) ON action_gate.review_routes TO action_gate_runtime;
GRANT UPDATE (delegate, absent_until) ON action_gate.review_absences TO action_gate_runtime;
--> statement-breakpoint
-- Isolation of tenants, as for every table that has one.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['review_groups', 'review_routes', 'review_absences'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;
--> statement-breakpoint
-- The last guard of a route. A decision is of a person whom a group of the frozen route has now, or of the delegate of one.
-- The group that helps counts once it was asked. No group gives more than the route can use, nobody counts twice, and an
-- action goes on when each group has given its own. It looks after the whole statement, which writes event and payload.
CREATE FUNCTION action_gate.refuse_off_route() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  verdict json;
  said json;
  given json[];
  counted text[];
  needed int4;
  lacking int4;
  surplus int4;
BEGIN
  -- Most verdicts have no route, and are not parsed.
  SELECT convert_from(p.payload, 'UTF8')::json INTO verdict
  FROM action_gate.event_payloads p
  WHERE p.action_id = NEW.action_id AND p.sequence = 1 AND position('"route":'::bytea IN p.payload) > 0;
  IF verdict -> 'route' IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT convert_from(p.payload, 'UTF8')::json INTO said
  FROM action_gate.event_payloads p WHERE p.action_id = NEW.action_id AND p.sequence = NEW.sequence;
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
    RAISE EXCEPTION 'the route of an action has nobody who gives this %', NEW.kind USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.kind = 'rejection' THEN
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
CREATE TRIGGER action_events_on_route AFTER INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind IN ('approval', 'partial_approval', 'rejection')) EXECUTE FUNCTION action_gate.refuse_off_route();
ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_on_route;
--> statement-breakpoint
-- Another group is asked once: the event of it takes away when that is due, under the rights of the owner.
CREATE FUNCTION action_gate.unlist_escalation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE action_gate.held_actions SET escalates_at = NULL WHERE tenant_id = NEW.tenant_id AND action_id = NEW.action_id;
  RETURN NULL;
END $$;
CREATE TRIGGER action_events_escalated AFTER INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind = 'escalation') EXECUTE FUNCTION action_gate.unlist_escalation();
ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_escalated;

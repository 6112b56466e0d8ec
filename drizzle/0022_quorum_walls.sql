-- Who holds a key, of keys from before that was recorded, as `lineage.ts` says it: the event that issued a key names who
-- minted it. A name that is not plain ASCII is not folded here, and a key that no event here issued is left alone as well: both
-- stay unrecorded, and of approvals by such keys one counts.
UPDATE action_gate.api_keys k SET lineage = CASE
    WHEN k.scope = 'approver' AND issued.by ->> 'kind' = 'owner' THEN 'account:' || (issued.by ->> 'id')
    WHEN k.name ~ '^[ -~]+$' THEN 'name:' || lower(regexp_replace(btrim(k.name), ' +', ' ', 'g') COLLATE "C")
  END
FROM (
  SELECT e.tenant_id, convert_from(e.event, 'UTF8')::json -> 'principal' AS by, convert_from(p.payload, 'UTF8')::json ->> 'key_id' AS key_id
  FROM action_gate.config_events e JOIN action_gate.config_payloads p USING (tenant_id, sequence)
  WHERE e.kind = 'key_issued'
) issued
WHERE issued.tenant_id = k.tenant_id AND issued.key_id = k.key_id;
--> statement-breakpoint
-- The last wall of a quorum: what was held for several approvals goes on with exactly so many, by different principals. The
-- release before this one approves with one, and is refused here.
CREATE FUNCTION action_gate.refuse_early_approval() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  required int4;
  principal text;
  given text[];
BEGIN
  SELECT convert_from(p.payload, 'UTF8')::json ->> 'approvals_required' INTO required
  FROM action_gate.event_payloads p WHERE p.action_id = NEW.action_id AND p.sequence = 1;
  IF required IS NULL THEN
    RETURN NEW;
  END IF;
  principal := convert_from(NEW.event, 'UTF8')::json #>> '{principal,id}';
  given := array(
    SELECT convert_from(e.event, 'UTF8')::json #>> '{principal,id}' FROM action_gate.action_events e
    WHERE e.action_id = NEW.action_id AND e.kind = 'partial_approval'
  );
  IF principal = ANY (given) OR (cardinality(given) + 1 = required) <> (NEW.kind = 'approval') THEN
    RAISE EXCEPTION 'an action held for % approvals, of which it has %, takes no % by %', required, cardinality(given), NEW.kind, principal
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER action_events_quorum BEFORE INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind IN ('approval', 'partial_approval')) EXECUTE FUNCTION action_gate.refuse_early_approval();
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.action_events ENABLE ALWAYS TRIGGER action_events_quorum';
END $$;

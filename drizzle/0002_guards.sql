-- Rights of the role under which the service runs: nothing that rewrites history (audit.md section 6).
GRANT USAGE ON SCHEMA action_gate TO action_gate_runtime;
GRANT SELECT, INSERT ON
  action_gate.action_events, action_gate.event_payloads, action_gate.actions, action_gate.execution_jobs, action_gate.late_results,
  action_gate.tenants, action_gate.api_keys, action_gate.policy_revisions, action_gate.catalog_revisions,
  action_gate.config_events, action_gate.config_payloads, action_gate.freezes, action_gate.actuators,
  action_gate.organizations, action_gate.accounts, action_gate.password_pepper, action_gate.tenant_owners, action_gate.sessions, action_gate.devices,
  action_gate.log_outbox, action_gate.unsigned_statements, action_gate.tenant_logs, action_gate.log_entries, action_gate.log_nodes,
  action_gate.log_checkpoints, action_gate.action_statements, action_gate.log_keys, action_gate.signing_keys,
  action_gate.verification_reports, action_gate.report_signatures, action_gate.unsigned_reports,
  action_gate.workers, action_gate.queue_samples, action_gate.webhooks, action_gate.webhook_deliveries, action_gate.scan_cursors
  TO action_gate_runtime;
GRANT UPDATE ON action_gate.actuators, action_gate.webhooks, action_gate.webhook_deliveries, action_gate.scan_cursors TO action_gate_runtime;
-- Content may be erased, which takes an erasure event of the same action; it is never changed.
GRANT DELETE ON action_gate.event_payloads, action_gate.late_results TO action_gate_runtime;
GRANT DELETE ON
  action_gate.actuators, action_gate.freezes, action_gate.log_outbox, action_gate.unsigned_statements, action_gate.unsigned_reports,
  action_gate.workers, action_gate.sessions, action_gate.devices, action_gate.queue_samples,
  action_gate.webhooks, action_gate.webhook_deliveries, action_gate.scan_cursors
  TO action_gate_runtime;
-- The hash of a proposal has no salt, so that it goes with what it would let somebody guess; it is never changed.
GRANT UPDATE (status, event_count, leaf_hashes, audit_root, updated_at, held_until, proposal_hash) ON action_gate.actions TO action_gate_runtime;
GRANT UPDATE (state, attempt, next_run_at, lease_owner, lease_token, lease_expires_at, maybe_executed, key_honoured, last_error, rounds, needs_operator, uncounted, leases_lost, retry_until, lookups_begun)
  ON action_gate.execution_jobs TO action_gate_runtime;
GRANT UPDATE (rules_version, policy_revision, approval_ttl_ms, catalog_revision, config_event_count, config_last_leaf, verification_gate)
  ON action_gate.tenants TO action_gate_runtime;
GRANT UPDATE (revoked_at) ON action_gate.api_keys TO action_gate_runtime;
GRANT UPDATE (size, root, signed_size, witnessed_size, cosignature, witness_asked_at) ON action_gate.tenant_logs TO action_gate_runtime;
GRANT UPDATE (status, ended_at) ON action_gate.signing_keys TO action_gate_runtime;
GRANT UPDATE (told_status, first_size, last_size) ON action_gate.log_keys TO action_gate_runtime;
GRANT UPDATE (seen_at, offer) ON action_gate.workers TO action_gate_runtime;
GRANT UPDATE (idle_expires_at) ON action_gate.sessions TO action_gate_runtime;
GRANT UPDATE (tenant_count) ON action_gate.organizations TO action_gate_runtime;
GRANT USAGE ON SEQUENCE action_gate.lease_tokens TO action_gate_runtime;
--> statement-breakpoint
-- Guards of history: rows that are only added, and content that is only erased with an event that says so.
CREATE FUNCTION action_gate.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: its rows are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END;
$$;
CREATE FUNCTION action_gate.refuse_silent_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM action_gate.action_events e
    WHERE e.action_id = OLD.action_id AND e.kind = 'erasure'
      AND e.sequence > coalesce((to_jsonb(OLD) ->> 'sequence')::int4, -1)
  ) THEN
    RAISE EXCEPTION 'content is erased together with an event that says so' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER action_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.action_events
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['policy_revisions', 'catalog_revisions', 'config_events', 'log_entries', 'log_nodes', 'log_checkpoints', 'action_statements', 'verification_reports', 'report_signatures'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.%I FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change()', name || '_append_only', name);
  END LOOP;
  FOREACH name IN ARRAY array['event_payloads', 'late_results'] LOOP
    EXECUTE format('CREATE CONSTRAINT TRIGGER %I AFTER DELETE ON action_gate.%I FOR EACH ROW EXECUTE FUNCTION action_gate.refuse_silent_erasure()', name || '_erased_openly', name);
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR TRUNCATE ON action_gate.%I FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change()', name || '_never_changed', name);
  END LOOP;
END $$;
-- What stands beside a stream only moves forward with it: nobody sets an action or a tenant back to an earlier event.
CREATE TRIGGER actions_only_forward BEFORE UPDATE ON action_gate.actions
  FOR EACH ROW WHEN (NEW.event_count < OLD.event_count OR (NEW.proposal_hash <> OLD.proposal_hash AND NEW.proposal_hash <> ''))
  EXECUTE FUNCTION action_gate.refuse_change();
CREATE TRIGGER tenants_only_forward BEFORE UPDATE ON action_gate.tenants
  FOR EACH ROW WHEN (NEW.config_event_count < OLD.config_event_count OR NEW.rules_version < OLD.rules_version)
  EXECUTE FUNCTION action_gate.refuse_change();
-- A key that has ended is never used again.
CREATE TRIGGER signing_keys_only_forward BEFORE UPDATE ON action_gate.signing_keys
  FOR EACH ROW WHEN (
    OLD.status = 'compromised' AND NEW.status <> 'compromised'
    OR OLD.status = 'retired' AND NEW.status NOT IN ('retired', 'compromised')) EXECUTE FUNCTION action_gate.refuse_change();
CREATE TRIGGER log_keys_only_forward BEFORE UPDATE ON action_gate.log_keys
  FOR EACH ROW WHEN (NEW.first_size <> OLD.first_size OR NEW.last_size < OLD.last_size) EXECUTE FUNCTION action_gate.refuse_change();
-- A log only grows: a size that was signed is never taken back.
CREATE TRIGGER tenant_logs_only_forward BEFORE UPDATE ON action_gate.tenant_logs
  FOR EACH ROW WHEN (
    NEW.size < OLD.size OR NEW.signed_size < OLD.signed_size OR NEW.witnessed_size < OLD.witnessed_size
    OR NEW.log_id <> OLD.log_id OR (NEW.size = OLD.size AND NEW.root <> OLD.root)) EXECUTE FUNCTION action_gate.refuse_change();
--> statement-breakpoint
-- The last guard of a quorum: what was held for several approvals goes on with exactly so many, by different principals.
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
CREATE TRIGGER action_events_quorum BEFORE INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind IN ('approval', 'partial_approval')) EXECUTE FUNCTION action_gate.refuse_early_approval();
--> statement-breakpoint
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
--> statement-breakpoint
-- Kept while an operation goes on, and forgotten after it: nothing of it is history.
GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.dispatched_operations TO action_gate_runtime;
--> statement-breakpoint
-- A statement that writes to many rows commits by itself: where it did not find all of them as they were read, it must fail.
CREATE FUNCTION action_gate.require_whole(whole boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF whole THEN RETURN true; END IF;
  RAISE EXCEPTION 'a row is not as it was read' USING ERRCODE = 'AG001';
END $$;
--> statement-breakpoint
-- Who somebody is at an issuer is only added; a sign-in that was taken or is over goes.
GRANT SELECT, INSERT ON action_gate.identities, action_gate.sign_ins TO action_gate_runtime;
GRANT DELETE ON action_gate.sign_ins TO action_gate_runtime;
--> statement-breakpoint
-- What waits for a person is listed and searched here; it is written with its action.
GRANT SELECT, INSERT ON action_gate.held_actions TO action_gate_runtime;
--> statement-breakpoint
-- A link may be ended by whose it is.
GRANT DELETE ON action_gate.identities TO action_gate_runtime;
--> statement-breakpoint
-- The statement that ends holds takes their rows out of the inbox, all at once: a trigger did it one row at a time, which
-- cost a sixth of what one process approves. The function takes away nothing that still waits.
CREATE FUNCTION action_gate.unlist_decided(action_ids text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = action_gate, pg_temp AS $$
BEGIN
  -- Row by row, by the keys: a plan that was made while little waited would read all that waits.
  DELETE FROM held_actions WHERE ctid = ANY (ARRAY(
    SELECT h.row FROM unnest(action_ids) w(action_id)
    CROSS JOIN LATERAL (SELECT tenant_id FROM actions WHERE action_id = w.action_id AND status <> 'pending_approval' OFFSET 0) a
    CROSS JOIN LATERAL (SELECT ctid AS row FROM held_actions WHERE tenant_id = a.tenant_id AND action_id = w.action_id OFFSET 0) h
  ));
END $$;
--> statement-breakpoint
-- What a member may do changes, and who was removed opens nothing any more: what they did stays under their account.
GRANT UPDATE (membership, password_hash) ON action_gate.accounts TO action_gate_runtime;
GRANT SELECT, INSERT, DELETE ON action_gate.member_roles, action_gate.organization_groups, action_gate.organization_group_members TO action_gate_runtime;
-- An invitation is accepted once or revoked; when it was over for long, it goes.
GRANT SELECT, INSERT, DELETE ON action_gate.invitations TO action_gate_runtime;
GRANT UPDATE (accepted_by, revoked_at) ON action_gate.invitations TO action_gate_runtime;
-- What an issuer told counts once; it goes when it could count no more.
GRANT SELECT, INSERT, DELETE ON action_gate.logout_tokens TO action_gate_runtime;
--> statement-breakpoint
-- What a tenant says about who decides is replaced and deleted; each change is an event of its configuration.
GRANT SELECT, INSERT, DELETE ON action_gate.review_groups, action_gate.review_routes, action_gate.review_absences TO action_gate_runtime;
GRANT UPDATE (members, updated_at) ON action_gate.review_groups TO action_gate_runtime;
GRANT UPDATE (route, updated_at) ON action_gate.review_routes TO action_gate_runtime;
GRANT UPDATE (delegate, absent_until) ON action_gate.review_absences TO action_gate_runtime;
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
--> statement-breakpoint
-- Another group is asked once: the event of it takes away when that is due, under the rights of the owner.
CREATE FUNCTION action_gate.unlist_escalation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE action_gate.held_actions SET escalates_at = NULL WHERE tenant_id = NEW.tenant_id AND action_id = NEW.action_id;
  RETURN NULL;
END $$;
CREATE TRIGGER action_events_escalated AFTER INSERT ON action_gate.action_events
  FOR EACH ROW WHEN (NEW.kind = 'escalation') EXECUTE FUNCTION action_gate.unlist_escalation();
--> statement-breakpoint
-- Test calls that wait for a worker: taken once, answered once, and forgotten; nothing of them is history.
GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.test_calls TO action_gate_runtime;
--> statement-breakpoint
-- Numbers of an application by the hour, and how far its log is counted: a copy of the log, which may be made anew.
GRANT SELECT, INSERT, UPDATE, DELETE ON action_gate.number_hours, action_gate.number_marks TO action_gate_runtime;
--> statement-breakpoint
-- What a person looks at again and again is theirs to change; it goes when they are removed.
GRANT SELECT, INSERT, DELETE ON action_gate.saved_views TO action_gate_runtime;
GRANT UPDATE (views, updated_at) ON action_gate.saved_views TO action_gate_runtime;
--> statement-breakpoint
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
CREATE TRIGGER grant_uses_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_gate.grant_uses
  FOR EACH STATEMENT EXECUTE FUNCTION action_gate.refuse_change();
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
--> statement-breakpoint
-- Who was an operator stays: a role changes, an invitation is used once, and who was removed opens nothing any more.
GRANT SELECT, INSERT ON action_gate.operators TO action_gate_runtime;
GRANT UPDATE (role, issuer, subject, removed_at) ON action_gate.operators TO action_gate_runtime;
-- A session ends, and is put off while it is used.
GRANT SELECT, INSERT, DELETE ON action_gate.operator_sessions TO action_gate_runtime;
GRANT UPDATE (idle_expires_at) ON action_gate.operator_sessions TO action_gate_runtime;
-- A sign-in that was taken or is over goes.
GRANT SELECT, INSERT, DELETE ON action_gate.operator_sign_ins TO action_gate_runtime;
--> statement-breakpoint
-- A tenant's Slack app and its links are replaced and deleted; each change by hand is an event of its configuration.
GRANT SELECT, INSERT, DELETE ON action_gate.slack_apps, action_gate.slack_links, action_gate.slack_requests TO action_gate_runtime;
GRANT UPDATE (team_id, sealed_secret, registered_at) ON action_gate.slack_apps TO action_gate_runtime;
GRANT UPDATE (user_id, linked_at, code_hash, code_expires_at) ON action_gate.slack_links TO action_gate_runtime;
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
--> statement-breakpoint
-- A guard fires in every session, also in one that applies what another database sends.
DO $$
DECLARE guard record;
BEGIN
  FOR guard IN SELECT tgrelid::regclass AS on_table, tgname FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'action_gate'::regnamespace) LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.on_table, guard.tgname);
  END LOOP;
END $$;
--> statement-breakpoint
-- Isolation of tenants, below the queries: a row is only there for a transaction whose scope has its tenant.
CREATE FUNCTION action_gate.in_scope(tenant text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT current_setting('action_gate.tenants', true) = '*'
    OR tenant = ANY (string_to_array(current_setting('action_gate.tenants', true), ','))
$$;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY array['tenants', 'policy_revisions', 'catalog_revisions', 'actuators', 'freezes', 'api_keys', 'actions', 'action_events', 'event_payloads', 'execution_jobs', 'late_results', 'config_events', 'config_payloads', 'log_outbox', 'tenant_logs', 'log_entries', 'log_nodes', 'log_checkpoints', 'log_keys', 'unsigned_statements', 'action_statements', 'verification_reports', 'report_signatures', 'unsigned_reports', 'tenant_owners', 'webhooks', 'webhook_deliveries', 'scan_cursors', 'tenant_secrets', 'dispatched_operations', 'held_actions', 'member_roles', 'review_groups', 'review_routes', 'review_absences', 'test_calls', 'number_hours', 'number_marks', 'bounded_grants', 'grant_uses', 'slack_apps', 'slack_links', 'slack_requests'] LOOP
    EXECUTE format('ALTER TABLE action_gate.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant_scope ON action_gate.%I TO action_gate_runtime USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))', name);
  END LOOP;
END $$;
--> statement-breakpoint
-- Payloads of up to 8 kB are stored as they are: to compress a verdict takes longer than to write it.
ALTER TABLE action_gate.event_payloads SET (toast_tuple_target = 8160);
-- A claim walks over the index entries of jobs that were pending until a vacuum takes them away: by their number, not by
-- their share of a table that keeps every job, and from the indexes though few pages of the table hold them.
ALTER TABLE action_gate.execution_jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_index_cleanup = on);

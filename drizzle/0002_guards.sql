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
GRANT UPDATE (governing_version, policy_revision, approval_ttl_ms, catalog_revision, config_event_count, config_last_leaf, verification_gate)
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
  FOR EACH ROW WHEN (NEW.config_event_count < OLD.config_event_count OR NEW.governing_version < OLD.governing_version)
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
  FOREACH name IN ARRAY array['tenants', 'policy_revisions', 'catalog_revisions', 'actuators', 'freezes', 'api_keys', 'actions', 'action_events', 'event_payloads', 'execution_jobs', 'late_results', 'config_events', 'config_payloads', 'log_outbox', 'tenant_logs', 'log_entries', 'log_nodes', 'log_checkpoints', 'log_keys', 'unsigned_statements', 'action_statements', 'verification_reports', 'report_signatures', 'unsigned_reports', 'tenant_owners', 'webhooks', 'webhook_deliveries', 'scan_cursors'] LOOP
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

CREATE SEQUENCE "action_gate"."lease_tokens" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "action_gate"."accounts" (
	"account_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_by_address_and_password" UNIQUE("email","password_hash"),
	CONSTRAINT "accounts_hash_length" CHECK (length("action_gate"."accounts"."password_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."action_events" (
	"action_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"previous_sequence" integer GENERATED ALWAYS AS (nullif(sequence, 0) - 1) STORED,
	"kind" text NOT NULL,
	"status_from" text,
	"status_to" text NOT NULL,
	"tenant_id" text NOT NULL,
	"event" "bytea" NOT NULL,
	"leaf_hash" "bytea" NOT NULL,
	CONSTRAINT "action_events_action_id_sequence_pk" PRIMARY KEY("action_id","sequence"),
	CONSTRAINT "action_events_chain_target" UNIQUE("action_id","sequence","status_to"),
	CONSTRAINT "action_events_begin" CHECK (("action_gate"."action_events"."sequence" = 0) = ("action_gate"."action_events"."status_from" is null)),
	CONSTRAINT "action_events_sequence" CHECK ("action_gate"."action_events"."sequence" >= 0),
	CONSTRAINT "action_events_legal_transition" CHECK ((coalesce(status_from, '') || '>' || kind || '>' || status_to)::action_gate.legal_step is not null),
	CONSTRAINT "action_events_leaf" CHECK ("action_gate"."action_events"."leaf_hash" = sha256('\x00'::bytea || "action_gate"."action_events"."event"))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."action_statements" (
	"action_id" text NOT NULL,
	"event_count" integer NOT NULL,
	"tenant_id" text NOT NULL,
	"note" text NOT NULL,
	CONSTRAINT "action_statements_action_id_event_count_pk" PRIMARY KEY("action_id","event_count")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."actions" (
	"action_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"proposal_id" text NOT NULL,
	"proposal_hash" text NOT NULL,
	"target_system" text NOT NULL,
	"operation" text NOT NULL,
	"key_id" text NOT NULL,
	"status" text NOT NULL,
	"event_count" integer NOT NULL,
	"last_sequence" integer GENERATED ALWAYS AS (event_count - 1) STORED,
	"leaf_hashes" "bytea" NOT NULL,
	"audit_root" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"held_until" timestamp (3) with time zone,
	"traceparent" varchar(55),
	CONSTRAINT "actions_one_per_proposal" UNIQUE("tenant_id","proposal_id"),
	CONSTRAINT "actions_leaves_counted" CHECK (length("action_gate"."actions"."leaf_hashes") = 32 * "action_gate"."actions"."event_count"),
	CONSTRAINT "actions_held_until" CHECK ("action_gate"."actions"."status" <> 'pending_approval' or "action_gate"."actions"."held_until" is not null)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."actuators" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"settings" jsonb NOT NULL,
	CONSTRAINT "actuators_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."api_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text,
	"scope" text NOT NULL,
	"name" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"lineage" text,
	CONSTRAINT "api_keys_scope" CHECK ("action_gate"."api_keys"."scope" in ('agent', 'approver', 'admin')),
	CONSTRAINT "api_keys_admin_has_no_tenant" CHECK (("action_gate"."api_keys"."scope" = 'admin') = ("action_gate"."api_keys"."tenant_id" is null)),
	CONSTRAINT "api_keys_hash_length" CHECK (length("action_gate"."api_keys"."secret_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."catalog_revisions" (
	"tenant_id" text NOT NULL,
	"revision" integer NOT NULL,
	"catalog" "bytea" NOT NULL,
	"catalog_hash" text NOT NULL,
	"author" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"change_note" text,
	CONSTRAINT "catalog_revisions_tenant_id_revision_pk" PRIMARY KEY("tenant_id","revision"),
	CONSTRAINT "catalog_revisions_from_one" CHECK ("action_gate"."catalog_revisions"."revision" >= 1)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."config_events" (
	"tenant_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"previous_sequence" integer GENERATED ALWAYS AS (nullif(sequence, 0) - 1) STORED,
	"kind" text NOT NULL,
	"event" "bytea" NOT NULL,
	"leaf_hash" "bytea" NOT NULL,
	CONSTRAINT "config_events_tenant_id_sequence_pk" PRIMARY KEY("tenant_id","sequence"),
	CONSTRAINT "config_events_sequence" CHECK ("action_gate"."config_events"."sequence" >= 0),
	CONSTRAINT "config_events_leaf" CHECK ("action_gate"."config_events"."leaf_hash" = sha256('\x00'::bytea || "action_gate"."config_events"."event"))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."config_payloads" (
	"tenant_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"payload" "bytea" NOT NULL,
	"salt" "bytea" NOT NULL,
	CONSTRAINT "config_payloads_tenant_id_sequence_pk" PRIMARY KEY("tenant_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."devices" (
	"device_hash" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "devices_hash_length" CHECK (length("action_gate"."devices"."device_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."event_payloads" (
	"action_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"tenant_id" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"salt" "bytea" NOT NULL,
	CONSTRAINT "event_payloads_action_id_sequence_pk" PRIMARY KEY("action_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."execution_jobs" (
	"action_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"state" text NOT NULL,
	"attempt" integer NOT NULL,
	"max_attempts" integer NOT NULL,
	"next_run_at" timestamp (3) with time zone NOT NULL,
	"lease_owner" text,
	"lease_token" bigint NOT NULL,
	"lease_expires_at" timestamp (3) with time zone,
	"maybe_executed" boolean NOT NULL,
	"key_honoured" boolean NOT NULL,
	"rounds" integer DEFAULT 0 NOT NULL,
	"uncounted" integer DEFAULT 0 NOT NULL,
	"leases_lost" integer DEFAULT 0 NOT NULL,
	"lookups_begun" integer DEFAULT 0 NOT NULL,
	"retry_until" timestamp (3) with time zone,
	"needs_operator" boolean DEFAULT false NOT NULL,
	"last_error" text,
	"target_system" text,
	CONSTRAINT "execution_jobs_state" CHECK ("action_gate"."execution_jobs"."state" in ('pending', 'leased', 'unknown', 'done')),
	CONSTRAINT "execution_jobs_lease" CHECK (("action_gate"."execution_jobs"."state" = 'leased') = ("action_gate"."execution_jobs"."lease_expires_at" is not null and "action_gate"."execution_jobs"."lease_owner" is not null)),
	CONSTRAINT "execution_jobs_system" CHECK ("action_gate"."execution_jobs"."state" = 'done' or "action_gate"."execution_jobs"."target_system" is not null),
	CONSTRAINT "execution_jobs_attempts" CHECK ("action_gate"."execution_jobs"."uncounted" >= 0 and "action_gate"."execution_jobs"."attempt" between 0 and "action_gate"."execution_jobs"."max_attempts" + "action_gate"."execution_jobs"."rounds" + "action_gate"."execution_jobs"."uncounted")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."freezes" (
	"tenant_id" text NOT NULL,
	"freeze_id" text PRIMARY KEY NOT NULL,
	"effect" text DEFAULT 'freeze' NOT NULL,
	"system" text,
	"operation" text,
	"key_id" text,
	"reason" text NOT NULL,
	"author" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "freezes_effect" CHECK ("action_gate"."freezes"."effect" in ('freeze', 'pause'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."late_results" (
	"action_id" text NOT NULL,
	"token" bigint NOT NULL,
	"tenant_id" text NOT NULL,
	"worker" text NOT NULL,
	"detail" "bytea" NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"contradicts" boolean DEFAULT false NOT NULL,
	CONSTRAINT "late_results_action_id_token_pk" PRIMARY KEY("action_id","token")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."log_checkpoints" (
	"tenant_id" text NOT NULL,
	"size" bigint NOT NULL,
	"note" text NOT NULL,
	"signed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_checkpoints_tenant_id_size_pk" PRIMARY KEY("tenant_id","size")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."log_entries" (
	"tenant_id" text NOT NULL,
	"index" bigint NOT NULL,
	"stream" text NOT NULL,
	"sequence" integer NOT NULL,
	CONSTRAINT "log_entries_tenant_id_index_pk" PRIMARY KEY("tenant_id","index"),
	CONSTRAINT "log_entries_once" UNIQUE("tenant_id","stream","sequence")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."log_keys" (
	"tenant_id" text NOT NULL,
	"key_id" text NOT NULL,
	"told_status" text,
	"first_size" bigint,
	"last_size" bigint,
	CONSTRAINT "log_keys_tenant_id_key_id_pk" PRIMARY KEY("tenant_id","key_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."log_nodes" (
	"tenant_id" text NOT NULL,
	"level" integer NOT NULL,
	"index" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "log_nodes_tenant_id_level_index_pk" PRIMARY KEY("tenant_id","level","index"),
	CONSTRAINT "log_nodes_hash" CHECK (length("action_gate"."log_nodes"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."log_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "action_gate"."log_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"tenant_id" text NOT NULL,
	"stream" text NOT NULL,
	"action_id" text GENERATED ALWAYS AS (case when stream <> 'config' then substr(stream, 8) end) STORED,
	"first_sequence" integer NOT NULL,
	"event_count" integer NOT NULL,
	"queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_outbox_events" CHECK ("action_gate"."log_outbox"."event_count" > 0 and "action_gate"."log_outbox"."first_sequence" >= 0)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."organizations" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"tenant_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."password_pepper" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"pepper" "bytea" NOT NULL,
	CONSTRAINT "password_pepper_only" CHECK ("action_gate"."password_pepper"."only"),
	CONSTRAINT "password_pepper_length" CHECK (length("action_gate"."password_pepper"."pepper") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."policy_revisions" (
	"tenant_id" text NOT NULL,
	"revision" integer NOT NULL,
	"policy" "bytea" NOT NULL,
	"policy_hash" text NOT NULL,
	"catalog_hash" text,
	"author" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"change_note" text,
	CONSTRAINT "policy_revisions_tenant_id_revision_pk" PRIMARY KEY("tenant_id","revision"),
	CONSTRAINT "policy_revisions_from_one" CHECK ("action_gate"."policy_revisions"."revision" >= 1)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."queue_samples" (
	"at" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"due" integer NOT NULL,
	"later" integer NOT NULL,
	"leased" integer NOT NULL,
	"unknown" integer NOT NULL,
	"held" integer NOT NULL,
	"workers" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."report_signatures" (
	"tenant_id" text NOT NULL,
	"report_id" text NOT NULL,
	"envelope" text NOT NULL,
	"signed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "report_signatures_tenant_id_report_id_pk" PRIMARY KEY("tenant_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."scan_cursors" (
	"tenant_id" text NOT NULL,
	"target_system" text NOT NULL,
	"freezes" text NOT NULL,
	"next_run_at" timestamp (3) with time zone NOT NULL,
	"action_id" text NOT NULL,
	"more" boolean NOT NULL,
	"looked_at" timestamp (3) with time zone NOT NULL,
	"reached_run_at" timestamp (3) with time zone,
	"reached_action_id" text,
	CONSTRAINT "scan_cursors_tenant_id_target_system_pk" PRIMARY KEY("tenant_id","target_system")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."sessions" (
	"session_hash" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"idle_expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_hash_length" CHECK (length("action_gate"."sessions"."session_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."signing_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"status" text NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "signing_keys_key" CHECK (length("action_gate"."signing_keys"."public_key") = 32),
	CONSTRAINT "signing_keys_status" CHECK ("action_gate"."signing_keys"."status" in ('next', 'active', 'retired', 'compromised'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."tenant_logs" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"log_id" text NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"root" "bytea" NOT NULL,
	"signed_size" bigint DEFAULT 0 NOT NULL,
	"witnessed_size" bigint DEFAULT 0 NOT NULL,
	"cosignature" text,
	"witness_asked_at" timestamp (3) with time zone,
	CONSTRAINT "tenant_logs_id" UNIQUE("log_id"),
	CONSTRAINT "tenant_logs_root" CHECK (length("action_gate"."tenant_logs"."root") = 32),
	CONSTRAINT "tenant_logs_order" CHECK ("action_gate"."tenant_logs"."witnessed_size" <= "action_gate"."tenant_logs"."signed_size" and "action_gate"."tenant_logs"."signed_size" <= "action_gate"."tenant_logs"."size")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."tenant_owners" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"governing_version" bigint DEFAULT 1 NOT NULL,
	"policy_revision" integer NOT NULL,
	"catalog_revision" integer,
	"approval_ttl_ms" bigint NOT NULL,
	"execute_within_ms" bigint,
	"verification_gate" boolean DEFAULT false NOT NULL,
	"config_event_count" integer DEFAULT 0 NOT NULL,
	"config_last_leaf" "bytea"
);
--> statement-breakpoint
CREATE TABLE "action_gate"."unsigned_reports" (
	"tenant_id" text NOT NULL,
	"report_id" text NOT NULL,
	CONSTRAINT "unsigned_reports_tenant_id_report_id_pk" PRIMARY KEY("tenant_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."unsigned_statements" (
	"action_id" text NOT NULL,
	"event_count" integer NOT NULL,
	"tenant_id" text NOT NULL,
	CONSTRAINT "unsigned_statements_action_id_event_count_pk" PRIMARY KEY("action_id","event_count")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."verification_reports" (
	"tenant_id" text NOT NULL,
	"report_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"mode" text NOT NULL,
	"result" text NOT NULL,
	"policy_hash" text NOT NULL,
	"catalog_hash" text,
	"report_hash" text NOT NULL,
	"body" "bytea" NOT NULL,
	"queries" "bytea" NOT NULL,
	CONSTRAINT "verification_reports_tenant_id_report_id_pk" PRIMARY KEY("tenant_id","report_id"),
	CONSTRAINT "verification_reports_kind" CHECK ("action_gate"."verification_reports"."kind" in ('live', 'draft')),
	CONSTRAINT "verification_reports_mode" CHECK ("action_gate"."verification_reports"."mode" in ('strict', 'basic')),
	CONSTRAINT "verification_reports_result" CHECK ("action_gate"."verification_reports"."result" in ('verified', 'violated', 'inconclusive'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."webhook_deliveries" (
	"webhook_id" text NOT NULL,
	"log_index" bigint NOT NULL,
	"tenant_id" text NOT NULL,
	"type" text NOT NULL,
	"action_id" text NOT NULL,
	"status" text NOT NULL,
	"occurred_at" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"claim" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_attempt_at" timestamp (3) with time zone,
	"last_status" integer,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_webhook_id_log_index_pk" PRIMARY KEY("webhook_id","log_index"),
	CONSTRAINT "webhook_deliveries_state" CHECK ("action_gate"."webhook_deliveries"."state" in ('pending', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."webhooks" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"url" text NOT NULL,
	"event_types" jsonb NOT NULL,
	"description" text,
	"enabled" boolean NOT NULL,
	"disabled_reason" text,
	"generation" integer DEFAULT 1 NOT NULL,
	"previous_until" timestamp (3) with time zone,
	"position" bigint NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"deleted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhooks_generation" CHECK ("action_gate"."webhooks"."generation" >= 1),
	CONSTRAINT "webhooks_disabled" CHECK ("action_gate"."webhooks"."disabled_reason" is null or not "action_gate"."webhooks"."enabled")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."workers" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"offer" text
);
--> statement-breakpoint
ALTER TABLE "action_gate"."accounts" ADD CONSTRAINT "accounts_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" ADD CONSTRAINT "action_events_chain" FOREIGN KEY ("action_id","previous_sequence","status_from") REFERENCES "action_gate"."action_events"("action_id","sequence","status_to") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."actions" ADD CONSTRAINT "actions_status_is_last_event" FOREIGN KEY ("action_id","last_sequence","status") REFERENCES "action_gate"."action_events"("action_id","sequence","status_to") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."actuators" ADD CONSTRAINT "actuators_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."catalog_revisions" ADD CONSTRAINT "catalog_revisions_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."config_events" ADD CONSTRAINT "config_events_chain" FOREIGN KEY ("tenant_id","previous_sequence") REFERENCES "action_gate"."config_events"("tenant_id","sequence") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."devices" ADD CONSTRAINT "devices_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD CONSTRAINT "execution_jobs_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."freezes" ADD CONSTRAINT "freezes_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."late_results" ADD CONSTRAINT "late_results_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."policy_revisions" ADD CONSTRAINT "policy_revisions_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."report_signatures" ADD CONSTRAINT "report_signatures_report" FOREIGN KEY ("tenant_id","report_id") REFERENCES "action_gate"."verification_reports"("tenant_id","report_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."scan_cursors" ADD CONSTRAINT "scan_cursors_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD CONSTRAINT "sessions_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_logs" ADD CONSTRAINT "tenant_logs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_owners" ADD CONSTRAINT "tenant_owners_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_owners" ADD CONSTRAINT "tenant_owners_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."verification_reports" ADD CONSTRAINT "verification_reports_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "action_gate"."webhooks"("webhook_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD CONSTRAINT "webhooks_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "actions_by_status" ON "action_gate"."actions" USING btree ("tenant_id","status","action_id" collate "C");--> statement-breakpoint
CREATE INDEX "actions_held" ON "action_gate"."actions" USING btree ("held_until") WHERE status = 'pending_approval';--> statement-breakpoint
CREATE INDEX "api_keys_by_tenant" ON "action_gate"."api_keys" USING btree ("tenant_id","created_at","key_id");--> statement-breakpoint
CREATE INDEX "devices_by_account" ON "action_gate"."devices" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "devices_by_expiry" ON "action_gate"."devices" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "execution_jobs_due_by_system" ON "action_gate"."execution_jobs" USING btree ("tenant_id","target_system","next_run_at","action_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "execution_jobs_leased" ON "action_gate"."execution_jobs" USING btree ("lease_expires_at") WHERE state = 'leased';--> statement-breakpoint
CREATE INDEX "execution_jobs_inquiries_by_system" ON "action_gate"."execution_jobs" USING btree ("tenant_id","target_system","next_run_at","action_id") WHERE state = 'unknown' and not needs_operator;--> statement-breakpoint
CREATE INDEX "execution_jobs_listed" ON "action_gate"."execution_jobs" USING btree ("state","action_id" collate "C") WHERE (state <> 'done') is true;--> statement-breakpoint
CREATE INDEX "execution_jobs_failed" ON "action_gate"."execution_jobs" USING btree ("next_run_at","action_id") WHERE state = 'done' and last_error is not null;--> statement-breakpoint
CREATE INDEX "execution_jobs_needing_operator" ON "action_gate"."execution_jobs" USING btree ("action_id") WHERE needs_operator;--> statement-breakpoint
CREATE INDEX "freezes_by_tenant" ON "action_gate"."freezes" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "late_results_contradicting" ON "action_gate"."late_results" USING btree ("received_at") WHERE contradicts;--> statement-breakpoint
CREATE INDEX "log_checkpoints_by_time" ON "action_gate"."log_checkpoints" USING btree ("signed_at");--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "action_gate"."sessions" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_by_idle_expiry" ON "action_gate"."sessions" USING btree ("idle_expires_at");--> statement-breakpoint
CREATE INDEX "signing_keys_by_status" ON "action_gate"."signing_keys" USING btree ("status");--> statement-breakpoint
CREATE INDEX "tenant_logs_unsigned" ON "action_gate"."tenant_logs" USING btree ("tenant_id") WHERE signed_size < size;--> statement-breakpoint
CREATE INDEX "tenant_logs_unwitnessed" ON "action_gate"."tenant_logs" USING btree ("witness_asked_at") WHERE witnessed_size < signed_size;--> statement-breakpoint
CREATE INDEX "tenant_logs_asked" ON "action_gate"."tenant_logs" USING btree ("witness_asked_at") WHERE signed_size > 0;--> statement-breakpoint
CREATE INDEX "tenant_owners_by_organization" ON "action_gate"."tenant_owners" USING btree ("organization_id","created_at","tenant_id");--> statement-breakpoint
CREATE INDEX "tenants_by_creation" ON "action_gate"."tenants" USING btree ("created_at","tenant_id");--> statement-breakpoint
CREATE INDEX "verification_reports_by_time" ON "action_gate"."verification_reports" USING btree ("tenant_id","created_at","report_id");--> statement-breakpoint
CREATE INDEX "verification_reports_passing" ON "action_gate"."verification_reports" USING btree ("tenant_id","mode","created_at","report_id") WHERE kind = 'live' and result = 'verified';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "action_gate"."webhook_deliveries" USING btree ("webhook_id","next_attempt_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_age" ON "action_gate"."webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_by_tenant" ON "action_gate"."webhooks" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "webhooks_deleted" ON "action_gate"."webhooks" USING btree ("webhook_id") WHERE deleted;
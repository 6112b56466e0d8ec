CREATE SEQUENCE "action_gate"."lease_tokens" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
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
	CONSTRAINT "action_events_legal_transition" CHECK ((coalesce(status_from, ''), kind, status_to) in (('', 'proposal_received', 'received'), ('received', 'verdict', 'execution_pending'), ('received', 'verdict', 'pending_approval'), ('received', 'verdict', 'denied'), ('pending_approval', 'approval', 'execution_pending'), ('pending_approval', 'rejection', 'denied'), ('pending_approval', 'expiry', 'denied'), ('pending_approval', 'cancellation', 'denied'), ('execution_pending', 'execution_attempt', 'executing'), ('execution_pending', 'execution', 'execution_failed'), ('executing', 'execution', 'executed'), ('executing', 'execution', 'execution_failed'), ('executing', 'execution', 'execution_pending'), ('executing', 'execution', 'outcome_unknown'), ('outcome_unknown', 'reconciliation', 'executed'), ('outcome_unknown', 'reconciliation', 'execution_failed'), ('outcome_unknown', 'reconciliation', 'execution_pending'))),
	CONSTRAINT "action_events_leaf" CHECK ("action_gate"."action_events"."leaf_hash" = sha256('\x00'::bytea || "action_gate"."action_events"."event"))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."actions" (
	"action_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"proposal_id" text NOT NULL,
	"proposal_hash" text NOT NULL,
	"target_system" text NOT NULL,
	"status" text NOT NULL,
	"event_count" integer NOT NULL,
	"last_sequence" integer GENERATED ALWAYS AS (event_count - 1) STORED,
	"leaf_hashes" "bytea" NOT NULL,
	"audit_root" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"held_until" timestamp (3) with time zone,
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
	CONSTRAINT "api_keys_scope" CHECK ("action_gate"."api_keys"."scope" in ('agent', 'approver', 'admin')),
	CONSTRAINT "api_keys_admin_has_no_tenant" CHECK (("action_gate"."api_keys"."scope" = 'admin') = ("action_gate"."api_keys"."tenant_id" is null)),
	CONSTRAINT "api_keys_hash_length" CHECK (length("action_gate"."api_keys"."secret_hash") = 32)
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
	"last_error" text,
	CONSTRAINT "execution_jobs_state" CHECK ("action_gate"."execution_jobs"."state" in ('pending', 'leased', 'unknown', 'done')),
	CONSTRAINT "execution_jobs_lease" CHECK (("action_gate"."execution_jobs"."state" = 'leased') = ("action_gate"."execution_jobs"."lease_expires_at" is not null and "action_gate"."execution_jobs"."lease_owner" is not null)),
	CONSTRAINT "execution_jobs_attempts" CHECK ("action_gate"."execution_jobs"."attempt" between 0 and "action_gate"."execution_jobs"."max_attempts")
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
CREATE TABLE "action_gate"."tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"governing_version" bigint DEFAULT 1 NOT NULL,
	"policy_revision" integer NOT NULL,
	"approval_ttl_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" ADD CONSTRAINT "action_events_chain" FOREIGN KEY ("action_id","previous_sequence","status_from") REFERENCES "action_gate"."action_events"("action_id","sequence","status_to") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."actions" ADD CONSTRAINT "actions_status_is_last_event" FOREIGN KEY ("action_id","last_sequence","status") REFERENCES "action_gate"."action_events"("action_id","sequence","status_to") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."actuators" ADD CONSTRAINT "actuators_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD CONSTRAINT "execution_jobs_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."policy_revisions" ADD CONSTRAINT "policy_revisions_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "actions_by_status" ON "action_gate"."actions" USING btree ("tenant_id","status","action_id");--> statement-breakpoint
CREATE INDEX "actions_held" ON "action_gate"."actions" USING btree ("held_until") WHERE status = 'pending_approval';--> statement-breakpoint
CREATE INDEX "api_keys_by_tenant" ON "action_gate"."api_keys" USING btree ("tenant_id","created_at","key_id");--> statement-breakpoint
CREATE INDEX "execution_jobs_due" ON "action_gate"."execution_jobs" USING btree ("next_run_at","action_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "execution_jobs_leased" ON "action_gate"."execution_jobs" USING btree ("lease_expires_at") WHERE state = 'leased';--> statement-breakpoint
CREATE INDEX "execution_jobs_unknown" ON "action_gate"."execution_jobs" USING btree ("next_run_at") WHERE state = 'unknown';--> statement-breakpoint
CREATE INDEX "tenants_by_creation" ON "action_gate"."tenants" USING btree ("created_at","tenant_id");
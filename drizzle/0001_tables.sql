CREATE SEQUENCE "action_gate"."lease_tokens" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "action_gate"."accounts" (
	"account_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"membership" text DEFAULT 'owner' NOT NULL,
	CONSTRAINT "accounts_by_address_and_password" UNIQUE("email","password_hash"),
	CONSTRAINT "accounts_hash_length" CHECK (length("action_gate"."accounts"."password_hash") = 32),
	CONSTRAINT "accounts_membership" CHECK ("action_gate"."accounts"."membership" in ('owner', 'member', 'removed'))
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
	"held_at" timestamp (3) with time zone,
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
	"holder" text,
	CONSTRAINT "api_keys_scope" CHECK ("action_gate"."api_keys"."scope" in ('agent', 'policy_author', 'approver', 'auditor', 'operator', 'admin', 'on_call')),
	CONSTRAINT "api_keys_admin_has_no_tenant" CHECK (("action_gate"."api_keys"."scope" in ('admin', 'on_call')) = ("action_gate"."api_keys"."tenant_id" is null)),
	CONSTRAINT "api_keys_hash_length" CHECK (length("action_gate"."api_keys"."secret_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."bounded_grants" (
	"tenant_id" text NOT NULL,
	"grant_id" text NOT NULL,
	"clause" "bytea" NOT NULL,
	"clause_hash" text NOT NULL,
	"uses_max" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"note" text NOT NULL,
	"author" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "bounded_grants_tenant_id_grant_id_pk" PRIMARY KEY("tenant_id","grant_id"),
	CONSTRAINT "bounded_grants_uses_max" CHECK ("action_gate"."bounded_grants"."uses_max" >= 1)
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
CREATE TABLE "action_gate"."dispatched_operations" (
	"action_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"url" text,
	"interval_ms" bigint NOT NULL,
	"kept_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"called_back" text
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
CREATE TABLE "action_gate"."grant_uses" (
	"tenant_id" text NOT NULL,
	"grant_id" text NOT NULL,
	"use" integer NOT NULL,
	"action_id" text NOT NULL,
	CONSTRAINT "grant_uses_tenant_id_grant_id_use_pk" PRIMARY KEY("tenant_id","grant_id","use"),
	CONSTRAINT "grant_uses_once" UNIQUE("action_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."held_actions" (
	"tenant_id" text NOT NULL,
	"action_id" text NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	"escalates_at" timestamp (3) with time zone,
	"agent_id" text NOT NULL,
	"target_system" text NOT NULL,
	"operation" text NOT NULL,
	"risk" text NOT NULL,
	"review_route" text NOT NULL,
	"searched" text NOT NULL,
	CONSTRAINT "held_actions_tenant_id_action_id_pk" PRIMARY KEY("tenant_id","action_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."invitations" (
	"invitation_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"label" text NOT NULL,
	"grants" jsonb NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"accepted_by" text,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "invitations_hash_length" CHECK (length("action_gate"."invitations"."token_hash") = 32)
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
CREATE TABLE "action_gate"."logout_tokens" (
	"issuer" text NOT NULL,
	"jti_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "logout_tokens_issuer_jti_hash_pk" PRIMARY KEY("issuer","jti_hash"),
	CONSTRAINT "logout_tokens_hash_length" CHECK (length("action_gate"."logout_tokens"."jti_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."member_roles" (
	"account_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "member_roles_account_id_tenant_id_role_pk" PRIMARY KEY("account_id","tenant_id","role"),
	CONSTRAINT "member_roles_role" CHECK ("action_gate"."member_roles"."role" in ('owner', 'policy_author', 'approver', 'auditor', 'operator'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."number_hours" (
	"tenant_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"numbers" jsonb NOT NULL,
	CONSTRAINT "number_hours_tenant_id_hour_pk" PRIMARY KEY("tenant_id","hour")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."number_marks" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"counted" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."operator_sessions" (
	"session_hash" "bytea" PRIMARY KEY NOT NULL,
	"operator_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"idle_expires_at" timestamp (3) with time zone NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"auth_time" timestamp (3) with time zone,
	"acr" text,
	"sid" text,
	CONSTRAINT "operator_sessions_hash_length" CHECK (length("action_gate"."operator_sessions"."session_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."operator_sign_ins" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"issuer" text NOT NULL,
	"invitation_hash" "bytea",
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_sign_ins_hash_length" CHECK (length("action_gate"."operator_sign_ins"."state_hash") = 32 and length("action_gate"."operator_sign_ins"."browser_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."operators" (
	"operator_id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"role" text NOT NULL,
	"issuer" text,
	"subject" text,
	"invitation_hash" "bytea" NOT NULL,
	"invitation_expires_at" timestamp (3) with time zone NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "operators_invitation_hash_unique" UNIQUE("invitation_hash"),
	CONSTRAINT "operators_role" CHECK ("action_gate"."operators"."role" in ('operator', 'on_call')),
	CONSTRAINT "operators_identity" CHECK (("action_gate"."operators"."issuer" is null) = ("action_gate"."operators"."subject" is null)),
	CONSTRAINT "operators_hash_length" CHECK (length("action_gate"."operators"."invitation_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."organization_group_members" (
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"account_id" text NOT NULL,
	"source" text NOT NULL,
	"issuer" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	CONSTRAINT "organization_group_members_pk" PRIMARY KEY("organization_id","name","account_id","source","issuer","subject"),
	CONSTRAINT "organization_group_members_source" CHECK ("action_gate"."organization_group_members"."source" in ('hand', 'claim')),
	CONSTRAINT "organization_group_members_claim" CHECK (("action_gate"."organization_group_members"."source" = 'claim') = ("action_gate"."organization_group_members"."issuer" <> '' and "action_gate"."organization_group_members"."subject" <> ''))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."organization_groups" (
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organization_groups_organization_id_name_pk" PRIMARY KEY("organization_id","name")
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
CREATE TABLE "action_gate"."review_absences" (
	"tenant_id" text NOT NULL,
	"absent" text NOT NULL,
	"delegate" text NOT NULL,
	"absent_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_absences_tenant_id_absent_pk" PRIMARY KEY("tenant_id","absent")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."review_groups" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"members" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_groups_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."review_routes" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"route" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_routes_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."saved_views" (
	"account_id" text PRIMARY KEY NOT NULL,
	"views" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
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
	"issuer" text,
	"subject" text,
	"auth_time" timestamp (3) with time zone,
	"acr" text,
	"sid" text,
	CONSTRAINT "sessions_hash_length" CHECK (length("action_gate"."sessions"."session_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."sign_ins" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"issuer" text NOT NULL,
	"organization" text,
	"account_id" text,
	"invitation_hash" "bytea",
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sign_ins_hash_length" CHECK (length("action_gate"."sign_ins"."state_hash") = 32 and length("action_gate"."sign_ins"."browser_hash") = 32)
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
CREATE TABLE "action_gate"."slack_apps" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"registered_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."slack_links" (
	"tenant_id" text NOT NULL,
	"account_id" text NOT NULL,
	"user_id" text,
	"linked_at" timestamp (3) with time zone,
	"code_hash" "bytea",
	"code_expires_at" timestamp (3) with time zone,
	CONSTRAINT "slack_links_tenant_id_account_id_pk" PRIMARY KEY("tenant_id","account_id"),
	CONSTRAINT "slack_links_user" CHECK (("action_gate"."slack_links"."user_id" is null) = ("action_gate"."slack_links"."linked_at" is null)),
	CONSTRAINT "slack_links_code" CHECK (("action_gate"."slack_links"."code_hash" is null) = ("action_gate"."slack_links"."code_expires_at" is null)),
	CONSTRAINT "slack_links_hash_length" CHECK (length("action_gate"."slack_links"."code_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."slack_requests" (
	"tenant_id" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "slack_requests_tenant_id_request_hash_pk" PRIMARY KEY("tenant_id","request_hash"),
	CONSTRAINT "slack_requests_hash_length" CHECK (length("action_gate"."slack_requests"."request_hash") = 32)
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
CREATE TABLE "action_gate"."tenant_secrets" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"actuator" text NOT NULL,
	"bound_to" jsonb NOT NULL,
	"sealed" "bytea",
	"wrapped_key" "bytea",
	"key_id" text,
	"author" jsonb NOT NULL,
	"written_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"confirmed_by" jsonb,
	"confirmed_at" timestamp (3) with time zone,
	"first_used_at" timestamp (3) with time zone,
	CONSTRAINT "tenant_secrets_tenant_id_name_pk" PRIMARY KEY("tenant_id","name"),
	CONSTRAINT "tenant_secrets_from_one" CHECK ("action_gate"."tenant_secrets"."version" >= 1),
	CONSTRAINT "tenant_secrets_sealed" CHECK (num_nulls("action_gate"."tenant_secrets"."sealed", "action_gate"."tenant_secrets"."wrapped_key", "action_gate"."tenant_secrets"."key_id") in (0, 3))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."tenants" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rules_version" bigint DEFAULT 1 NOT NULL,
	"policy_revision" integer NOT NULL,
	"catalog_revision" integer,
	"approval_ttl_ms" bigint NOT NULL,
	"execute_within_ms" bigint,
	"verification_gate" boolean DEFAULT false NOT NULL,
	"config_event_count" integer DEFAULT 0 NOT NULL,
	"config_last_leaf" "bytea"
);
--> statement-breakpoint
CREATE TABLE "action_gate"."test_calls" (
	"test_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"system" text NOT NULL,
	"test" text NOT NULL,
	"request_hash" text NOT NULL,
	"author" jsonb NOT NULL,
	"asked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"take_before" timestamp (3) with time zone NOT NULL,
	"taken_by" text,
	"ends_at" timestamp (3) with time zone,
	"answer" text
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
	"reminder" integer DEFAULT 0 NOT NULL,
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
	CONSTRAINT "webhook_deliveries_webhook_id_log_index_reminder_pk" PRIMARY KEY("webhook_id","log_index","reminder"),
	CONSTRAINT "webhook_deliveries_state" CHECK ("action_gate"."webhook_deliveries"."state" in ('pending', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."webhooks" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"url" text NOT NULL,
	"sealed_url" "bytea",
	"format" text DEFAULT 'signed' NOT NULL,
	"subscriber" text,
	"event_types" jsonb NOT NULL,
	"remind_after_ms" jsonb DEFAULT '[]'::jsonb NOT NULL,
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
	CONSTRAINT "webhooks_sealed_url" CHECK (("action_gate"."webhooks"."format" in ('slack', 'teams', 'push')) = ("action_gate"."webhooks"."sealed_url" is not null)),
	CONSTRAINT "webhooks_subscriber" CHECK (("action_gate"."webhooks"."format" = 'push') = ("action_gate"."webhooks"."subscriber" is not null)),
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
ALTER TABLE "action_gate"."bounded_grants" ADD CONSTRAINT "bounded_grants_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."catalog_revisions" ADD CONSTRAINT "catalog_revisions_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."config_events" ADD CONSTRAINT "config_events_chain" FOREIGN KEY ("tenant_id","previous_sequence") REFERENCES "action_gate"."config_events"("tenant_id","sequence") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."devices" ADD CONSTRAINT "devices_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."dispatched_operations" ADD CONSTRAINT "dispatched_operations_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD CONSTRAINT "execution_jobs_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."freezes" ADD CONSTRAINT "freezes_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."grant_uses" ADD CONSTRAINT "grant_uses_of_grant" FOREIGN KEY ("tenant_id","grant_id") REFERENCES "action_gate"."bounded_grants"("tenant_id","grant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."grant_uses" ADD CONSTRAINT "grant_uses_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."identities" ADD CONSTRAINT "identities_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."invitations" ADD CONSTRAINT "invitations_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."invitations" ADD CONSTRAINT "invitations_invited_by_accounts_account_id_fk" FOREIGN KEY ("invited_by") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."invitations" ADD CONSTRAINT "invitations_accepted_by_accounts_account_id_fk" FOREIGN KEY ("accepted_by") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."late_results" ADD CONSTRAINT "late_results_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."member_roles" ADD CONSTRAINT "member_roles_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."member_roles" ADD CONSTRAINT "member_roles_tenant_id_tenant_owners_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenant_owners"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."number_hours" ADD CONSTRAINT "number_hours_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."number_marks" ADD CONSTRAINT "number_marks_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."operator_sessions" ADD CONSTRAINT "operator_sessions_operator_id_operators_operator_id_fk" FOREIGN KEY ("operator_id") REFERENCES "action_gate"."operators"("operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."organization_group_members" ADD CONSTRAINT "organization_group_members_group" FOREIGN KEY ("organization_id","name") REFERENCES "action_gate"."organization_groups"("organization_id","name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."organization_group_members" ADD CONSTRAINT "organization_group_members_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."organization_groups" ADD CONSTRAINT "organization_groups_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."policy_revisions" ADD CONSTRAINT "policy_revisions_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."report_signatures" ADD CONSTRAINT "report_signatures_report" FOREIGN KEY ("tenant_id","report_id") REFERENCES "action_gate"."verification_reports"("tenant_id","report_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."review_absences" ADD CONSTRAINT "review_absences_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."review_groups" ADD CONSTRAINT "review_groups_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."review_routes" ADD CONSTRAINT "review_routes_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."saved_views" ADD CONSTRAINT "saved_views_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."scan_cursors" ADD CONSTRAINT "scan_cursors_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD CONSTRAINT "sessions_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_apps" ADD CONSTRAINT "slack_apps_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_links" ADD CONSTRAINT "slack_links_tenant_id_slack_apps_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."slack_apps"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_links" ADD CONSTRAINT "slack_links_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_requests" ADD CONSTRAINT "slack_requests_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_logs" ADD CONSTRAINT "tenant_logs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_owners" ADD CONSTRAINT "tenant_owners_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_owners" ADD CONSTRAINT "tenant_owners_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_secrets" ADD CONSTRAINT "tenant_secrets_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."test_calls" ADD CONSTRAINT "test_calls_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."verification_reports" ADD CONSTRAINT "verification_reports_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "action_gate"."webhooks"("webhook_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD CONSTRAINT "webhooks_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_by_organization" ON "action_gate"."accounts" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "actions_by_status" ON "action_gate"."actions" USING btree ("tenant_id","status","action_id" collate "C");--> statement-breakpoint
CREATE INDEX "actions_held" ON "action_gate"."actions" USING btree ("held_until") WHERE status = 'pending_approval';--> statement-breakpoint
CREATE INDEX "actions_held_by_key" ON "action_gate"."actions" USING btree ("tenant_id","key_id","held_at") WHERE held_at is not null;--> statement-breakpoint
CREATE INDEX "api_keys_by_tenant" ON "action_gate"."api_keys" USING btree ("tenant_id","created_at","key_id");--> statement-breakpoint
CREATE INDEX "bounded_grants_by_creation" ON "action_gate"."bounded_grants" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "devices_by_account" ON "action_gate"."devices" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "devices_by_expiry" ON "action_gate"."devices" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "execution_jobs_due_by_system" ON "action_gate"."execution_jobs" USING btree ("tenant_id","target_system","next_run_at","action_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "execution_jobs_leased" ON "action_gate"."execution_jobs" USING btree ("lease_expires_at") WHERE state = 'leased';--> statement-breakpoint
CREATE INDEX "execution_jobs_inquiries_by_system" ON "action_gate"."execution_jobs" USING btree ("tenant_id","target_system","next_run_at","action_id") WHERE state = 'unknown' and not needs_operator;--> statement-breakpoint
CREATE INDEX "execution_jobs_listed" ON "action_gate"."execution_jobs" USING btree ("state","action_id" collate "C") WHERE (state <> 'done') is true;--> statement-breakpoint
CREATE INDEX "execution_jobs_failed" ON "action_gate"."execution_jobs" USING btree ("next_run_at","action_id") WHERE state = 'done' and last_error is not null;--> statement-breakpoint
CREATE INDEX "execution_jobs_needing_operator" ON "action_gate"."execution_jobs" USING btree ("action_id") WHERE needs_operator;--> statement-breakpoint
CREATE INDEX "freezes_by_tenant" ON "action_gate"."freezes" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "held_actions_by_end" ON "action_gate"."held_actions" USING btree ("tenant_id","held_until","action_id");--> statement-breakpoint
CREATE INDEX "held_actions_by_escalation" ON "action_gate"."held_actions" USING btree ("escalates_at") WHERE escalates_at is not null;--> statement-breakpoint
CREATE INDEX "identities_by_account" ON "action_gate"."identities" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "invitations_by_organization" ON "action_gate"."invitations" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "invitations_by_expiry" ON "action_gate"."invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "late_results_contradicting" ON "action_gate"."late_results" USING btree ("received_at") WHERE contradicts;--> statement-breakpoint
CREATE INDEX "log_checkpoints_by_time" ON "action_gate"."log_checkpoints" USING btree ("signed_at");--> statement-breakpoint
CREATE INDEX "logout_tokens_by_expiry" ON "action_gate"."logout_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "number_hours_by_hour" ON "action_gate"."number_hours" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "operator_sessions_by_operator" ON "action_gate"."operator_sessions" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_by_idle_expiry" ON "action_gate"."operator_sessions" USING btree ("idle_expires_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_by_identity" ON "action_gate"."operator_sessions" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "operator_sign_ins_by_expiry" ON "action_gate"."operator_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operators_by_identity" ON "action_gate"."operators" USING btree ("issuer","subject") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "operators_by_time" ON "action_gate"."operators" USING btree ("created_at","operator_id");--> statement-breakpoint
CREATE INDEX "organization_group_members_by_account" ON "action_gate"."organization_group_members" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "action_gate"."sessions" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_by_idle_expiry" ON "action_gate"."sessions" USING btree ("idle_expires_at");--> statement-breakpoint
CREATE INDEX "sessions_by_identity" ON "action_gate"."sessions" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "sign_ins_by_expiry" ON "action_gate"."sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "signing_keys_by_status" ON "action_gate"."signing_keys" USING btree ("status");--> statement-breakpoint
CREATE UNIQUE INDEX "slack_links_by_user" ON "action_gate"."slack_links" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "slack_links_by_account" ON "action_gate"."slack_links" USING btree ("account_id");--> statement-breakpoint
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
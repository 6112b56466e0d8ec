CREATE TABLE "action_gate"."action_statements" (
	"action_id" text NOT NULL,
	"event_count" integer NOT NULL,
	"tenant_id" text NOT NULL,
	"note" text NOT NULL,
	CONSTRAINT "action_statements_action_id_event_count_pk" PRIMARY KEY("action_id","event_count")
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
	"first_sequence" integer NOT NULL,
	"event_count" integer NOT NULL,
	"queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_outbox_events" CHECK ("action_gate"."log_outbox"."event_count" > 0 and "action_gate"."log_outbox"."first_sequence" >= 0)
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
CREATE TABLE "action_gate"."unsigned_statements" (
	"action_id" text NOT NULL,
	"event_count" integer NOT NULL,
	"tenant_id" text NOT NULL,
	CONSTRAINT "unsigned_statements_action_id_event_count_pk" PRIMARY KEY("action_id","event_count")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" DROP CONSTRAINT "action_events_legal_transition";--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_logs" ADD CONSTRAINT "tenant_logs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "signing_keys_by_status" ON "action_gate"."signing_keys" USING btree ("status");--> statement-breakpoint
CREATE INDEX "tenant_logs_unsigned" ON "action_gate"."tenant_logs" USING btree ("tenant_id") WHERE signed_size < size;--> statement-breakpoint
CREATE INDEX "tenant_logs_unwitnessed" ON "action_gate"."tenant_logs" USING btree ("witness_asked_at") WHERE witnessed_size < signed_size;--> statement-breakpoint
CREATE INDEX "tenant_logs_asked" ON "action_gate"."tenant_logs" USING btree ("witness_asked_at") WHERE signed_size > 0;--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" ADD CONSTRAINT "action_events_legal_transition" CHECK ((coalesce(status_from, ''), kind, status_to) in (('', 'proposal_received', 'received'), ('received', 'verdict', 'execution_pending'), ('received', 'verdict', 'pending_approval'), ('received', 'verdict', 'denied'), ('pending_approval', 'approval', 'execution_pending'), ('pending_approval', 'rejection', 'denied'), ('pending_approval', 'expiry', 'denied'), ('pending_approval', 'cancellation', 'denied'), ('execution_pending', 'execution_attempt', 'executing'), ('execution_pending', 'execution', 'execution_failed'), ('execution_pending', 'execution', 'outcome_unknown'), ('executing', 'execution', 'executed'), ('executing', 'execution', 'execution_failed'), ('executing', 'execution', 'execution_pending'), ('executing', 'execution', 'outcome_unknown'), ('outcome_unknown', 'reconciliation', 'executed'), ('outcome_unknown', 'reconciliation', 'execution_failed'), ('outcome_unknown', 'reconciliation', 'execution_pending'), ('outcome_unknown', 'reconciliation', 'outcome_unknown'), ('executed', 'erasure', 'executed'), ('denied', 'erasure', 'denied'), ('execution_failed', 'erasure', 'execution_failed')));
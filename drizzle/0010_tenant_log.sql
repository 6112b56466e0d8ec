CREATE TABLE "action_gate"."action_statements" (
	"action_id" text NOT NULL,
	"event_count" integer NOT NULL,
	"tenant_id" text NOT NULL,
	"key_id" text NOT NULL,
	"note" text NOT NULL,
	CONSTRAINT "action_statements_action_id_event_count_pk" PRIMARY KEY("action_id","event_count")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."log_checkpoints" (
	"tenant_id" text NOT NULL,
	"size" bigint NOT NULL,
	"key_id" text NOT NULL,
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
	CONSTRAINT "tenant_logs_id" UNIQUE("log_id"),
	CONSTRAINT "tenant_logs_root" CHECK (length("action_gate"."tenant_logs"."root") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."unsigned_statements" (
	"action_id" text NOT NULL,
	"event_count" integer NOT NULL,
	"tenant_id" text NOT NULL,
	CONSTRAINT "unsigned_statements_action_id_event_count_pk" PRIMARY KEY("action_id","event_count")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_logs" ADD CONSTRAINT "tenant_logs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "signing_keys_by_status" ON "action_gate"."signing_keys" USING btree ("status");
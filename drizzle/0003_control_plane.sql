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
CREATE TABLE "action_gate"."freezes" (
	"tenant_id" text NOT NULL,
	"freeze_id" text PRIMARY KEY NOT NULL,
	"system" text,
	"operation" text,
	"key_id" text,
	"reason" text NOT NULL,
	"author" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "action_gate"."actions" ADD COLUMN "operation" text;--> statement-breakpoint
ALTER TABLE "action_gate"."actions" ADD COLUMN "key_id" text;--> statement-breakpoint
ALTER TABLE "action_gate"."tenants" ADD COLUMN "catalog_revision" integer;--> statement-breakpoint
ALTER TABLE "action_gate"."tenants" ADD COLUMN "config_event_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."tenants" ADD COLUMN "config_last_leaf" "bytea";--> statement-breakpoint
ALTER TABLE "action_gate"."catalog_revisions" ADD CONSTRAINT "catalog_revisions_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."config_events" ADD CONSTRAINT "config_events_chain" FOREIGN KEY ("tenant_id","previous_sequence") REFERENCES "action_gate"."config_events"("tenant_id","sequence") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."freezes" ADD CONSTRAINT "freezes_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "freezes_by_tenant" ON "action_gate"."freezes" USING btree ("tenant_id");
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
ALTER TABLE "action_gate"."tenant_secrets" ADD CONSTRAINT "tenant_secrets_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;
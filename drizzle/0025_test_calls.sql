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
ALTER TABLE "action_gate"."test_calls" ADD CONSTRAINT "test_calls_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;
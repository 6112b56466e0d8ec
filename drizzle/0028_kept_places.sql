CREATE TABLE "action_gate"."kept_places" (
	"tenant_id" text NOT NULL,
	"target_system" text NOT NULL,
	"freezes" text NOT NULL,
	"next_run_at" timestamp (3) with time zone NOT NULL,
	"action_id" text NOT NULL,
	"more" boolean NOT NULL,
	"looked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "kept_places_tenant_id_target_system_pk" PRIMARY KEY("tenant_id","target_system")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."kept_places" ADD CONSTRAINT "kept_places_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;
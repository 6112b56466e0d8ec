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
ALTER TABLE "action_gate"."held_actions" ADD COLUMN "escalates_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "action_gate"."review_absences" ADD CONSTRAINT "review_absences_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."review_groups" ADD CONSTRAINT "review_groups_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."review_routes" ADD CONSTRAINT "review_routes_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "held_actions_by_escalation" ON "action_gate"."held_actions" USING btree ("escalates_at") WHERE escalates_at is not null;
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
ALTER TABLE "action_gate"."number_hours" ADD CONSTRAINT "number_hours_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."number_marks" ADD CONSTRAINT "number_marks_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "number_hours_by_hour" ON "action_gate"."number_hours" USING btree ("hour");
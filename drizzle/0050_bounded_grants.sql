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
CREATE TABLE "action_gate"."grant_uses" (
	"tenant_id" text NOT NULL,
	"grant_id" text NOT NULL,
	"use" integer NOT NULL,
	"action_id" text NOT NULL,
	CONSTRAINT "grant_uses_tenant_id_grant_id_use_pk" PRIMARY KEY("tenant_id","grant_id","use"),
	CONSTRAINT "grant_uses_once" UNIQUE("action_id")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."bounded_grants" ADD CONSTRAINT "bounded_grants_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."grant_uses" ADD CONSTRAINT "grant_uses_of_grant" FOREIGN KEY ("tenant_id","grant_id") REFERENCES "action_gate"."bounded_grants"("tenant_id","grant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."grant_uses" ADD CONSTRAINT "grant_uses_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bounded_grants_by_creation" ON "action_gate"."bounded_grants" USING btree ("tenant_id","created_at");
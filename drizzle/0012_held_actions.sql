CREATE TABLE "action_gate"."held_actions" (
	"tenant_id" text NOT NULL,
	"action_id" text NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	"agent_id" text NOT NULL,
	"target_system" text NOT NULL,
	"operation" text NOT NULL,
	"risk" text NOT NULL,
	"review_route" text NOT NULL,
	"searched" text NOT NULL,
	CONSTRAINT "held_actions_tenant_id_action_id_pk" PRIMARY KEY("tenant_id","action_id")
);
--> statement-breakpoint
CREATE INDEX "held_actions_by_end" ON "action_gate"."held_actions" USING btree ("tenant_id","held_until","action_id");
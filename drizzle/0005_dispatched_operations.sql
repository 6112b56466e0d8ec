CREATE TABLE "action_gate"."dispatched_operations" (
	"action_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"url" text NOT NULL,
	"interval_ms" bigint NOT NULL,
	"kept_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "action_gate"."dispatched_operations" ADD CONSTRAINT "dispatched_operations_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;
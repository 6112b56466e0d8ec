CREATE TABLE "action_gate"."webhook_deliveries" (
	"webhook_id" text NOT NULL,
	"log_index" bigint NOT NULL,
	"tenant_id" text NOT NULL,
	"type" text NOT NULL,
	"action_id" text NOT NULL,
	"status" text NOT NULL,
	"occurred_at" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"claim" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_attempt_at" timestamp (3) with time zone,
	"last_status" integer,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_webhook_id_log_index_pk" PRIMARY KEY("webhook_id","log_index"),
	CONSTRAINT "webhook_deliveries_state" CHECK ("action_gate"."webhook_deliveries"."state" in ('pending', 'delivered', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."webhooks" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"url" text NOT NULL,
	"event_types" jsonb NOT NULL,
	"description" text,
	"enabled" boolean NOT NULL,
	"disabled_reason" text,
	"generation" integer DEFAULT 1 NOT NULL,
	"previous_until" timestamp (3) with time zone,
	"position" bigint NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"deleted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhooks_generation" CHECK ("action_gate"."webhooks"."generation" >= 1),
	CONSTRAINT "webhooks_disabled" CHECK ("action_gate"."webhooks"."disabled_reason" is null or not "action_gate"."webhooks"."enabled")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "action_gate"."webhooks"("webhook_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD CONSTRAINT "webhooks_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "action_gate"."webhook_deliveries" USING btree ("webhook_id","next_attempt_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_age" ON "action_gate"."webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_by_tenant" ON "action_gate"."webhooks" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "webhooks_deleted" ON "action_gate"."webhooks" USING btree ("webhook_id") WHERE deleted;
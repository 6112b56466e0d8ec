ALTER TABLE "action_gate"."execution_jobs" ADD COLUMN "leases_lost" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD COLUMN "retry_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "action_gate"."late_results" ADD COLUMN "contradicts" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."tenants" ADD COLUMN "execute_within_ms" bigint;--> statement-breakpoint
CREATE INDEX "late_results_contradicting" ON "action_gate"."late_results" USING btree ("received_at") WHERE contradicts;
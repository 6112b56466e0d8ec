CREATE TABLE "action_gate"."late_results" (
	"action_id" text NOT NULL,
	"token" bigint NOT NULL,
	"tenant_id" text NOT NULL,
	"worker" text NOT NULL,
	"detail" "bytea" NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "late_results_action_id_token_pk" PRIMARY KEY("action_id","token")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" DROP CONSTRAINT "action_events_legal_transition";--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" DROP CONSTRAINT "execution_jobs_attempts";--> statement-breakpoint
DROP INDEX "action_gate"."execution_jobs_due";--> statement-breakpoint
DROP INDEX "action_gate"."execution_jobs_unknown";--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD COLUMN "rounds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD COLUMN "needs_operator" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."late_results" ADD CONSTRAINT "late_results_action_id_actions_action_id_fk" FOREIGN KEY ("action_id") REFERENCES "action_gate"."actions"("action_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "execution_jobs_due_by_tenant" ON "action_gate"."execution_jobs" USING btree ("tenant_id","next_run_at","action_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "execution_jobs_inquiries" ON "action_gate"."execution_jobs" USING btree ("next_run_at") WHERE state = 'unknown' and not needs_operator;--> statement-breakpoint
CREATE INDEX "execution_jobs_needing_operator" ON "action_gate"."execution_jobs" USING btree ("action_id") WHERE needs_operator;--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" ADD CONSTRAINT "action_events_legal_transition" CHECK ((coalesce(status_from, ''), kind, status_to) in (('', 'proposal_received', 'received'), ('received', 'verdict', 'execution_pending'), ('received', 'verdict', 'pending_approval'), ('received', 'verdict', 'denied'), ('pending_approval', 'approval', 'execution_pending'), ('pending_approval', 'rejection', 'denied'), ('pending_approval', 'expiry', 'denied'), ('pending_approval', 'cancellation', 'denied'), ('execution_pending', 'execution_attempt', 'executing'), ('execution_pending', 'execution', 'execution_failed'), ('execution_pending', 'execution', 'outcome_unknown'), ('executing', 'execution', 'executed'), ('executing', 'execution', 'execution_failed'), ('executing', 'execution', 'execution_pending'), ('executing', 'execution', 'outcome_unknown'), ('outcome_unknown', 'reconciliation', 'executed'), ('outcome_unknown', 'reconciliation', 'execution_failed'), ('outcome_unknown', 'reconciliation', 'execution_pending'), ('outcome_unknown', 'reconciliation', 'outcome_unknown')));--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD CONSTRAINT "execution_jobs_attempts" CHECK ("action_gate"."execution_jobs"."attempt" between 0 and "action_gate"."execution_jobs"."max_attempts" + "action_gate"."execution_jobs"."rounds");
CREATE TABLE "action_gate"."report_signatures" (
	"tenant_id" text NOT NULL,
	"report_id" text NOT NULL,
	"envelope" text NOT NULL,
	"signed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "report_signatures_tenant_id_report_id_pk" PRIMARY KEY("tenant_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."unsigned_reports" (
	"tenant_id" text NOT NULL,
	"report_id" text NOT NULL,
	CONSTRAINT "unsigned_reports_tenant_id_report_id_pk" PRIMARY KEY("tenant_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."verification_reports" (
	"tenant_id" text NOT NULL,
	"report_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"mode" text NOT NULL,
	"result" text NOT NULL,
	"policy_hash" text NOT NULL,
	"catalog_hash" text,
	"report_hash" text NOT NULL,
	"body" "bytea" NOT NULL,
	"queries" "bytea" NOT NULL,
	CONSTRAINT "verification_reports_tenant_id_report_id_pk" PRIMARY KEY("tenant_id","report_id"),
	CONSTRAINT "verification_reports_kind" CHECK ("action_gate"."verification_reports"."kind" in ('live', 'draft')),
	CONSTRAINT "verification_reports_mode" CHECK ("action_gate"."verification_reports"."mode" in ('strict', 'basic')),
	CONSTRAINT "verification_reports_result" CHECK ("action_gate"."verification_reports"."result" in ('verified', 'violated', 'inconclusive'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."workers" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "action_gate"."tenants" ADD COLUMN "verification_gate" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."report_signatures" ADD CONSTRAINT "report_signatures_report" FOREIGN KEY ("tenant_id","report_id") REFERENCES "action_gate"."verification_reports"("tenant_id","report_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."verification_reports" ADD CONSTRAINT "verification_reports_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "verification_reports_by_time" ON "action_gate"."verification_reports" USING btree ("tenant_id","created_at","report_id");--> statement-breakpoint
CREATE INDEX "verification_reports_passing" ON "action_gate"."verification_reports" USING btree ("tenant_id","mode","created_at","report_id") WHERE kind = 'live' and result = 'verified';
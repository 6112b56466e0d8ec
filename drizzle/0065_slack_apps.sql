CREATE TABLE "action_gate"."slack_apps" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"registered_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."slack_links" (
	"tenant_id" text NOT NULL,
	"account_id" text NOT NULL,
	"user_id" text,
	"linked_at" timestamp (3) with time zone,
	"code_hash" "bytea",
	"code_expires_at" timestamp (3) with time zone,
	CONSTRAINT "slack_links_tenant_id_account_id_pk" PRIMARY KEY("tenant_id","account_id"),
	CONSTRAINT "slack_links_user" CHECK (("action_gate"."slack_links"."user_id" is null) = ("action_gate"."slack_links"."linked_at" is null)),
	CONSTRAINT "slack_links_code" CHECK (("action_gate"."slack_links"."code_hash" is null) = ("action_gate"."slack_links"."code_expires_at" is null)),
	CONSTRAINT "slack_links_hash_length" CHECK (length("action_gate"."slack_links"."code_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."slack_requests" (
	"tenant_id" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "slack_requests_tenant_id_request_hash_pk" PRIMARY KEY("tenant_id","request_hash"),
	CONSTRAINT "slack_requests_hash_length" CHECK (length("action_gate"."slack_requests"."request_hash") = 32)
);
--> statement-breakpoint
ALTER TABLE "action_gate"."slack_apps" ADD CONSTRAINT "slack_apps_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_links" ADD CONSTRAINT "slack_links_tenant_id_slack_apps_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."slack_apps"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_links" ADD CONSTRAINT "slack_links_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."slack_requests" ADD CONSTRAINT "slack_requests_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "slack_links_by_user" ON "action_gate"."slack_links" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "slack_links_by_account" ON "action_gate"."slack_links" USING btree ("account_id");
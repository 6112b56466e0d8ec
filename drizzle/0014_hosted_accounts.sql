CREATE TABLE "action_gate"."accounts" (
	"account_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_by_address_and_password" UNIQUE("email","password_hash"),
	CONSTRAINT "accounts_hash_length" CHECK (length("action_gate"."accounts"."password_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."devices" (
	"device_hash" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "devices_hash_length" CHECK (length("action_gate"."devices"."device_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."organizations" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"tenant_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "action_gate"."password_pepper" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"pepper" "bytea" NOT NULL,
	CONSTRAINT "password_pepper_only" CHECK ("action_gate"."password_pepper"."only"),
	CONSTRAINT "password_pepper_length" CHECK (length("action_gate"."password_pepper"."pepper") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."sessions" (
	"session_hash" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"idle_expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_hash_length" CHECK (length("action_gate"."sessions"."session_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."tenant_owners" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "action_gate"."accounts" ADD CONSTRAINT "accounts_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."devices" ADD CONSTRAINT "devices_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD CONSTRAINT "sessions_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_owners" ADD CONSTRAINT "tenant_owners_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenants"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."tenant_owners" ADD CONSTRAINT "tenant_owners_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "devices_by_account" ON "action_gate"."devices" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "devices_by_expiry" ON "action_gate"."devices" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "action_gate"."sessions" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_by_idle_expiry" ON "action_gate"."sessions" USING btree ("idle_expires_at");--> statement-breakpoint
CREATE INDEX "tenant_owners_by_organization" ON "action_gate"."tenant_owners" USING btree ("organization_id","created_at","tenant_id");
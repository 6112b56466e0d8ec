CREATE TABLE "action_gate"."invitations" (
	"invitation_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"label" text NOT NULL,
	"grants" jsonb NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"accepted_by" text,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "invitations_hash_length" CHECK (length("action_gate"."invitations"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."logout_tokens" (
	"issuer" text NOT NULL,
	"jti_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "logout_tokens_issuer_jti_hash_pk" PRIMARY KEY("issuer","jti_hash"),
	CONSTRAINT "logout_tokens_hash_length" CHECK (length("action_gate"."logout_tokens"."jti_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."member_roles" (
	"account_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "member_roles_account_id_tenant_id_role_pk" PRIMARY KEY("account_id","tenant_id","role"),
	CONSTRAINT "member_roles_role" CHECK ("action_gate"."member_roles"."role" in ('owner', 'policy_author', 'approver', 'auditor', 'operator'))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."organization_group_members" (
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"account_id" text NOT NULL,
	"source" text NOT NULL,
	"issuer" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	CONSTRAINT "organization_group_members_pk" PRIMARY KEY("organization_id","name","account_id","source","issuer","subject"),
	CONSTRAINT "organization_group_members_source" CHECK ("action_gate"."organization_group_members"."source" in ('hand', 'claim')),
	CONSTRAINT "organization_group_members_claim" CHECK (("action_gate"."organization_group_members"."source" = 'claim') = ("action_gate"."organization_group_members"."issuer" <> '' and "action_gate"."organization_group_members"."subject" <> ''))
);
--> statement-breakpoint
CREATE TABLE "action_gate"."organization_groups" (
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organization_groups_organization_id_name_pk" PRIMARY KEY("organization_id","name")
);
--> statement-breakpoint
ALTER TABLE "action_gate"."accounts" ADD COLUMN "membership" text DEFAULT 'owner' NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD COLUMN "sid" text;--> statement-breakpoint
ALTER TABLE "action_gate"."sign_ins" ADD COLUMN "invitation_hash" "bytea";--> statement-breakpoint
ALTER TABLE "action_gate"."invitations" ADD CONSTRAINT "invitations_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."invitations" ADD CONSTRAINT "invitations_invited_by_accounts_account_id_fk" FOREIGN KEY ("invited_by") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."invitations" ADD CONSTRAINT "invitations_accepted_by_accounts_account_id_fk" FOREIGN KEY ("accepted_by") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."member_roles" ADD CONSTRAINT "member_roles_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."member_roles" ADD CONSTRAINT "member_roles_tenant_id_tenant_owners_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "action_gate"."tenant_owners"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."organization_group_members" ADD CONSTRAINT "organization_group_members_group" FOREIGN KEY ("organization_id","name") REFERENCES "action_gate"."organization_groups"("organization_id","name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."organization_group_members" ADD CONSTRAINT "organization_group_members_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "action_gate"."organization_groups" ADD CONSTRAINT "organization_groups_organization_id_organizations_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "action_gate"."organizations"("organization_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "invitations_by_organization" ON "action_gate"."invitations" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "invitations_by_expiry" ON "action_gate"."invitations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "logout_tokens_by_expiry" ON "action_gate"."logout_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "organization_group_members_by_account" ON "action_gate"."organization_group_members" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "accounts_by_organization" ON "action_gate"."accounts" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "sessions_by_identity" ON "action_gate"."sessions" USING btree ("issuer","subject");--> statement-breakpoint
ALTER TABLE "action_gate"."accounts" ADD CONSTRAINT "accounts_membership" CHECK ("action_gate"."accounts"."membership" in ('owner', 'member', 'removed')) NOT VALID;
import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import type { SavedView } from '../../contract/action/inbox-schema.ts'
import type { Grants, KeyScope, MemberRole } from '../../contract/role-schema.ts'
import { bytes, schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/** Organizations own applications (specification.md#hosted-accounts). */
export const organizations = schema.table('organizations', {
  organization_id: text().primaryKey(),
  name: text().notNull(),
  /** The number of applications, stored here because no transaction sees the rows of all tenants. */
  tenant_count: integer().notNull().default(0),
  created_at: time('created_at').notNull().defaultNow(),
})

/** People. Address and password together identify an account, so several accounts may have one address. */
export const accounts = schema.table(
  'accounts',
  {
    account_id: text().primaryKey(),
    organization_id: text().notNull(),
    email: text().notNull(),
    /** An Argon2id hash, never the password; null for a person who only signs in at an issuer. */
    password_hash: bytes(),
    created_at: time('created_at').notNull().defaultNow(),
    /** An owner has every role in every tenant, a member those in `member_roles`, a removed account none. */
    membership: text().$type<'owner' | 'member' | 'removed'>().notNull().default('owner'),
  },
  table => [
    foreignKey({ columns: [table.organization_id], foreignColumns: [organizations.organization_id] }),
    unique('accounts_by_address_and_password').on(table.email, table.password_hash),
    index('accounts_by_organization').on(table.organization_id, table.created_at),
    check('accounts_hash_length', sql`length(${table.password_hash}) = 32`),
    check('accounts_membership', sql`${table.membership} in ('owner', 'member', 'removed')`),
  ],
)

export const savedViews = schema.table(
  'saved_views',
  {
    account_id: text().primaryKey(),
    views: jsonb().$type<SavedView[]>().notNull(),
    updated_at: time('updated_at').notNull().defaultNow(),
  },
  table => [foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] })],
)

export const passwordPepper = schema.table(
  'password_pepper',
  { only: boolean().primaryKey().default(true), pepper: bytes().notNull() },
  table => [
    check('password_pepper_only', sql`${table.only}`),
    check('password_pepper_length', sql`length(${table.pepper}) = 32`),
  ],
)

/** Sessions by the SHA-256 of their token, never the token, so that a row opens no session. */
export const sessions = schema.table(
  'sessions',
  {
    session_hash: bytes().primaryKey(),
    account_id: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    expires_at: time('expires_at').notNull(),
    idle_expires_at: time('idle_expires_at').notNull(),
    /** The issuer; null after a sign-in with a password, as are `subject`, `auth_time`, `acr` and `sid`. */
    issuer: text(),
    subject: text(),
    auth_time: time('auth_time'),
    acr: text(),
    sid: text(),
  },
  table => [
    foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] }),
    index('sessions_by_account').on(table.account_id, table.created_at),
    index('sessions_by_idle_expiry').on(table.idle_expires_at),
    index('sessions_by_identity').on(table.issuer, table.subject),
    check('sessions_hash_length', sql`length(${table.session_hash}) = 32`),
  ],
)

/** Identities of people at issuers, known by `iss` and `sub` together and never by an e-mail address. */
export const identities = schema.table(
  'identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    account_id: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] }),
    index('identities_by_account').on(table.account_id, table.created_at),
  ],
)

/**
 * Sign-ins at issuers that have begun. Only digests of their tokens are stored, so that a stolen row is useless.
 */
export const signIns = schema.table(
  'sign_ins',
  {
    state_hash: bytes().primaryKey(),
    browser_hash: bytes().notNull(),
    issuer: text().notNull(),
    /** The name of a new organization; null if the sign-in may not create an account. */
    organization: text(),
    account_id: text(),
    invitation_hash: bytes(),
    expires_at: time('expires_at').notNull(),
  },
  table => [
    index('sign_ins_by_expiry').on(table.expires_at),
    check(
      'sign_ins_hash_length',
      sql`length(${table.state_hash}) = 32 and length(${table.browser_hash}) = 32`,
    ),
  ],
)

/** Logout tokens until they expire, by the SHA-256 of their `jti`, so that each token counts only once. */
export const logoutTokens = schema.table(
  'logout_tokens',
  {
    issuer: text().notNull(),
    jti_hash: bytes().notNull(),
    expires_at: time('expires_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.issuer, table.jti_hash] }),
    index('logout_tokens_by_expiry').on(table.expires_at),
    check('logout_tokens_hash_length', sql`length(${table.jti_hash}) = 32`),
  ],
)

/** Browsers in which an account was signed in, by the SHA-256 of their cookie, never the cookie itself. */
export const devices = schema.table(
  'devices',
  {
    device_hash: bytes().primaryKey(),
    account_id: text().notNull(),
    expires_at: time('expires_at').notNull(),
  },
  table => [
    foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] }),
    index('devices_by_account').on(table.account_id),
    index('devices_by_expiry').on(table.expires_at),
    check('devices_hash_length', sql`length(${table.device_hash}) = 32`),
  ],
)

export const tenantOwners = schema.table(
  'tenant_owners',
  {
    tenant_id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
  },
  table => [
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
    foreignKey({ columns: [table.organization_id], foreignColumns: [organizations.organization_id] }),
    index('tenant_owners_by_organization').on(table.organization_id, table.created_at, table.tenant_id),
  ],
)

/** Roles of members in each application (specification.md#members). */
export const memberRoles = schema.table(
  'member_roles',
  {
    account_id: text().notNull(),
    tenant_id: text().notNull(),
    role: text().$type<MemberRole>().notNull(),
  },
  table => [
    primaryKey({ columns: [table.account_id, table.tenant_id, table.role] }),
    foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenantOwners.tenant_id] }),
    check(
      'member_roles_role',
      sql`${table.role} in ('owner', 'policy_author', 'approver', 'auditor', 'operator')`,
    ),
  ],
)

/** Invitations to become a member, by the SHA-256 of a token that is shown once and never stored. */
export const invitations = schema.table(
  'invitations',
  {
    invitation_id: text().primaryKey(),
    organization_id: text().notNull(),
    token_hash: bytes().notNull().unique(),
    label: text().notNull(),
    grants: jsonb().$type<Grants>().notNull(),
    invited_by: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    expires_at: time('expires_at').notNull(),
    accepted_by: text(),
    revoked_at: time('revoked_at'),
  },
  table => [
    foreignKey({ columns: [table.organization_id], foreignColumns: [organizations.organization_id] }),
    foreignKey({ columns: [table.invited_by], foreignColumns: [accounts.account_id] }),
    foreignKey({ columns: [table.accepted_by], foreignColumns: [accounts.account_id] }),
    index('invitations_by_organization').on(table.organization_id, table.created_at),
    index('invitations_by_expiry').on(table.expires_at),
    check('invitations_hash_length', sql`length(${table.token_hash}) = 32`),
  ],
)

/** Requests to reset a password. The token in the last e-mail is stored only as its SHA-256. */
export const passwordResets = schema.table(
  'password_resets',
  {
    reset_id: text().primaryKey(),
    email: text().notNull(),
    expires_at: time('expires_at').notNull(),
    token_hash: bytes().unique(),
    attempts: integer().notNull().default(0),
    /** The time of the next attempt to send the e-mail; null if none will follow. */
    next_attempt_at: time('next_attempt_at').defaultNow(),
  },
  table => [
    index('password_resets_by_address').on(table.email),
    index('password_resets_by_expiry').on(table.expires_at),
    index('password_resets_due').on(table.next_attempt_at).where(sql`${table.next_attempt_at} is not null`),
    check('password_resets_hash_length', sql`length(${table.token_hash}) = 32`),
  ],
)

export const organizationGroups = schema.table(
  'organization_groups',
  {
    organization_id: text().notNull(),
    name: text().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.organization_id, table.name] }),
    foreignKey({ columns: [table.organization_id], foreignColumns: [organizations.organization_id] }),
  ],
)

/** Members of a group. An owner adds them by hand, or a sign-in adds them by a claim of its issuer. */
export const organizationGroupMembers = schema.table(
  'organization_group_members',
  {
    organization_id: text().notNull(),
    name: text().notNull(),
    account_id: text().notNull(),
    source: text().$type<'hand' | 'claim'>().notNull(),
    issuer: text().notNull().default(''),
    subject: text().notNull().default(''),
  },
  table => [
    primaryKey({
      name: 'organization_group_members_pk',
      columns: [
        table.organization_id,
        table.name,
        table.account_id,
        table.source,
        table.issuer,
        table.subject,
      ],
    }),
    foreignKey({
      name: 'organization_group_members_group',
      columns: [table.organization_id, table.name],
      foreignColumns: [organizationGroups.organization_id, organizationGroups.name],
    }),
    foreignKey({ columns: [table.account_id], foreignColumns: [accounts.account_id] }),
    index('organization_group_members_by_account').on(table.account_id),
    check('organization_group_members_source', sql`${table.source} in ('hand', 'claim')`),
    check(
      'organization_group_members_claim',
      sql`(${table.source} = 'claim') = (${table.issuer} <> '' and ${table.subject} <> '')`,
    ),
  ],
)

/**
 * API keys by the SHA-256 of their secret, never the secret itself. An admin key has no tenant. No foreign key
 * refers to tenants, because keys may have a database of their own (`--api-key-db`).
 */
export const apiKeys = schema.table(
  'api_keys',
  {
    key_id: text().primaryKey(),
    tenant_id: text(),
    scope: text().$type<KeyScope>().notNull(),
    name: text().notNull(),
    secret_hash: bytes().notNull(),
    created_at: time('created_at').notNull().defaultNow(),
    expires_at: time('expires_at'),
    revoked_at: time('revoked_at'),
    /** The person who holds the key, for quorums (`lifecycle/holder.ts`); null if none was recorded. */
    holder: text(),
  },
  table => [
    check(
      'api_keys_scope',
      sql`${table.scope} in ('agent', 'policy_author', 'approver', 'auditor', 'operator', 'admin', 'on_call')`,
    ),
    check(
      'api_keys_admin_has_no_tenant',
      sql`(${table.scope} in ('admin', 'on_call')) = (${table.tenant_id} is null)`,
    ),
    check('api_keys_hash_length', sql`length(${table.secret_hash}) = 32`),
    index('api_keys_by_tenant').on(table.tenant_id, table.created_at, table.key_id),
  ],
)

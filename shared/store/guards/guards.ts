import type { Reader } from '../postgres/open.ts'

/** Triggers that keep history unchanged (specification.md#audit-in-postgres). Each must always be enabled. */
export const guardTriggers: readonly string[] = [
  'action_events_append_only',
  'action_events_decided',
  'action_events_escalated',
  'action_events_quorum',
  'action_statements_append_only',
  'actions_held_in_time',
  'actions_only_forward',
  'bounded_grants_only_forward',
  'catalog_revisions_append_only',
  'config_events_append_only',
  'event_payloads_erased_openly',
  'event_payloads_never_changed',
  'grant_uses_append_only',
  'grant_uses_in_turn',
  'late_results_erased_openly',
  'late_results_never_changed',
  'log_checkpoints_append_only',
  'log_entries_append_only',
  'log_keys_only_forward',
  'log_nodes_append_only',
  'policy_revisions_append_only',
  'report_signatures_append_only',
  'signing_keys_only_forward',
  'tenant_logs_only_forward',
  'tenant_secrets_only_forward',
  'tenants_only_forward',
  'verification_reports_append_only',
]

/** Tables to which the runtime role may add rows, but in which it may not change or delete rows. */
export const appendOnlyTables: readonly string[] = [
  'action_events',
  'action_statements',
  'catalog_revisions',
  'config_events',
  'grant_uses',
  'log_checkpoints',
  'log_entries',
  'log_nodes',
  'policy_revisions',
  'report_signatures',
  'verification_reports',
]

export interface Guards {
  /** Triggers that fire in every session, even in a session that applies replicated changes. */
  triggers: string[]
  /** Rights that the role has, as `privilege on table`: UPDATE, DELETE, TRUNCATE and ownership. */
  rights: string[]
  /** Tables with a column `tenant_id` that show every row, because row-level security is off. */
  open_tables: string[]
  /** True if the role is a superuser or bypasses row-level security, because no guard binds such a role. */
  is_above: boolean
}

export async function readGuards(reader: Reader): Promise<Guards> {
  const [guards] = await reader.query<Guards>('read_guards', guardsSql, [`{${appendOnlyTables.join(',')}}`])
  if (!guards) throw new Error('the catalog of the database answers nothing')
  return guards
}

const guardsSql = `
with tables as (
  select c.oid, c.relname::text as name, c.relrowsecurity, pg_has_role(c.relowner, 'MEMBER') as owned
  from pg_class c where c.relnamespace = 'action_gate'::regnamespace and c.relkind = 'r'
)
select
  to_json(array(
    select t.tgname::text from pg_trigger t join tables on tables.oid = t.tgrelid
    where not t.tgisinternal and t.tgenabled = 'A' order by 1
  )) as triggers,
  to_json(array(
    select privilege || ' on ' || name from tables, unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) as privilege
    where name = any($1::text[]) and (has_table_privilege(oid, privilege) or privilege = 'UPDATE' and has_any_column_privilege(oid, privilege))
    union all select 'ownership of ' || name from tables where owned
    order by 1
  )) as rights,
  to_json(array(
    select name from tables where not relrowsecurity and exists (
      select from pg_attribute a where a.attrelid = tables.oid and a.attname = 'tenant_id' and not a.attisdropped
    ) order by 1
  )) as open_tables,
  (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as is_above`

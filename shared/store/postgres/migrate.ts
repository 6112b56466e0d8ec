import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'
import { connect, type DatabaseLocation } from './location.ts'

const migrationLock = 4_701_225_001

/**
 * Bring a database to the newest schema. Safe when several processes do it at once: one at a time holds an advisory
 * lock, the others find nothing left to do. The login needs the right to create roles the first time; everything is
 * owned by `action_gate_owner`, which cannot log in and is not the role the service runs under.
 */
export async function migrateDatabase(target: DatabaseLocation): Promise<void> {
  const sql = connect(target, { application_name: 'action-gate-migrate' }, 1)
  try {
    await sql`select pg_advisory_lock(${migrationLock})`
    await ensureRoles(sql)
    await sql.unsafe('set role action_gate_owner')
    await migrate(drizzle(sql), { migrationsFolder: migrationsFolder(), migrationsSchema: 'action_gate' })
    await letRuntimeLook(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/**
 * The migrations of this program that a database lacks, by name. A newer database lacks none: older processes must
 * go on working on it while processes are replaced one by one.
 */
export async function missingMigrations(target: DatabaseLocation): Promise<string[]> {
  const sql = connect(target, { application_name: 'action-gate-migrate', role: 'action_gate_runtime' }, 1)
  try {
    const applied = await sql<
      { created_at: string }[]
    >`select created_at from action_gate.__drizzle_migrations`
    const newest = Math.max(0, ...applied.map(({ created_at }) => Number(created_at)))
    return knownMigrations()
      .filter(({ when }) => when > newest)
      .map(({ tag }) => tag)
  } catch (error) {
    if (!isNeverMigrated(error)) throw error
    return knownMigrations().map(({ tag }) => tag)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** No such role or table, or none that this role may read: what a migration gives. */
function isNeverMigrated(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (
    code === '42P01' ||
    /^role "action_gate_runtime" does not exist|^permission denied for/.test(String(message))
  )
}

/** So that a process of the runtime role can tell whether it knows this schema. */
async function letRuntimeLook(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    do $$
    begin
      if not has_table_privilege('action_gate_runtime', 'action_gate.__drizzle_migrations', 'select') then
        grant select on action_gate.__drizzle_migrations to action_gate_runtime;
      end if;
    end $$`)
}

function knownMigrations(): { tag: string; when: number }[] {
  const journal = readFileSync(`${migrationsFolder()}/meta/_journal.json`, 'utf8')
  return (JSON.parse(journal) as { entries: { tag: string; when: number }[] }).entries
}

async function ensureRoles(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    do $$
    declare wanted record;
    begin
      for wanted in select * from (values ('action_gate_owner', 'nologin'), ('action_gate_runtime', 'login')) r(name, attribute) loop
        if not exists (select from pg_roles where rolname = wanted.name) then
          begin
            execute format('create role %I %s', wanted.name, wanted.attribute);
          exception when duplicate_object or unique_violation then null; -- another database of the cluster was first
          end;
        end if;
        if not pg_has_role(current_user, wanted.name, 'member') then
          execute format('grant %I to current_user', wanted.name);
        end if;
      end loop;
      if not has_database_privilege('action_gate_owner', current_database(), 'create') then
        if not has_database_privilege(current_database(), 'create with grant option') then
          raise '% does not own the database %: let it (alter database % owner to %)',
            current_user, current_database(), current_database(), current_user;
        end if;
        execute format('grant create on database %I to action_gate_owner', current_database());
      end if;
      if to_regnamespace('action_gate') is null then
        execute 'create schema action_gate authorization action_gate_owner';
      end if;
    end $$`)
}

/** The numbered SQL migrations stand in the repository's own folder, for the sources and for dist alike. */
function migrationsFolder(): string {
  const candidates = ['../../../drizzle', '../../../../drizzle'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const found = candidates.find(path => existsSync(`${path}/meta/_journal.json`))
  if (!found) throw new Error(`no migrations found in ${candidates.join(' or ')}`)
  return found
}

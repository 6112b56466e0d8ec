import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { productRoot } from '../../product-root.ts'
import { connect, type DatabaseLocation } from './location.ts'
import {
  type AppliedMigration,
  type Migration,
  type SchemaState,
  schemaState,
  UnfitDatabase,
} from './schema-state.ts'

const folder = fileURLToPath(new URL('drizzle', productRoot))
const migrationLock = 4_701_225_001

/**
 * Brings a database to the newest schema. Several processes may do so at once, because an advisory lock lets one
 * work at a time. The login must have the right to create roles the first time. Everything is owned by
 * `action_gate_owner`, which cannot log in and is not the role of the service.
 *
 * Throws an UnfitDatabase if other migrations made the schema, or if a migration fails; then nothing is changed.
 */
export async function migrateDatabase(target: DatabaseLocation): Promise<SchemaState> {
  const sql = connect(target, { application_name: 'action-gate-migrate' }, 1)
  try {
    await sql`select pg_advisory_lock(${migrationLock})`
    await ensureRoles(sql)
    await sql.unsafe('set role action_gate_owner')
    const [found] = await sql<{ is_migrated: boolean }[]>`
      select to_regclass('action_gate.__drizzle_migrations') is not null as is_migrated`
    const state = schemaState(found?.is_migrated ? await appliedMigrations(sql) : [], knownMigrations())
    await migrate(drizzle(sql), { migrationsFolder: folder, migrationsSchema: 'action_gate' }).catch(
      (error: unknown) => Promise.reject(failureOf(state.missing, error)),
    )
    await letRuntimeLook(sql)
    return { ...state, missing: [] }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Compares a database with the migrations of this program, with the rights of the runtime role. */
export async function lookAtSchema(target: DatabaseLocation): Promise<SchemaState> {
  const sql = connect(target, { application_name: 'action-gate-migrate', role: 'action_gate_runtime' }, 1)
  const known = knownMigrations()
  try {
    return schemaState(await appliedMigrations(sql), known)
  } catch (error) {
    if (!isNeverMigrated(error)) throw error
    return schemaState([], known)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const appliedMigrations = (sql: postgres.Sql) =>
  sql<AppliedMigration[]>`select created_at, hash from action_gate.__drizzle_migrations`

/** Returns PostgreSQL's error about a failed migration, because Drizzle's error would only show the SQL. */
function failureOf(missing: readonly string[], error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof postgres.PostgresError)) return cause ?? error
  const said = [cause.message, cause.detail, cause.hint].filter(Boolean).join('. ')
  return new UnfitDatabase(`${missing.join(', ')} could not be applied, and nothing was changed: ${said}`)
}

/** Returns true if a role or table is missing or forbidden, because migrations create and grant them. */
function isNeverMigrated(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (
    code === '42P01' ||
    /^role "action_gate_runtime" does not exist|^permission denied for/.test(String(message))
  )
}

/** Lets the runtime role read the list of migrations, so that a process can check if it knows the schema. */
async function letRuntimeLook(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    do $$
    begin
      if not has_table_privilege('action_gate_runtime', 'action_gate.__drizzle_migrations', 'select') then
        grant select on action_gate.__drizzle_migrations to action_gate_runtime;
      end if;
    end $$`)
}

function knownMigrations(): Migration[] {
  const { entries } = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as {
    entries: { tag: string; when: number }[]
  }
  const read = readMigrationFiles({ migrationsFolder: folder })
  return entries.map(({ tag, when }) => {
    const found = read.find(({ folderMillis }) => folderMillis === when)
    return { tag, when, hash: found?.hash ?? '' }
  })
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

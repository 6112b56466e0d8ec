import { request } from 'node:http'
import pg from 'pg'
import type { KeyScope } from '../../../shared/contract/role-schema.ts'
import { csrfTokenOf, hashSecret, newToken } from '../../../shared/runtime/secrets/secret.ts'
import { insertSession } from '../../../shared/store/account/session-rows.ts'
import { asWriter } from '../fixtures/ad-hoc.ts'
import { plantKey } from './plant-key.ts'
import { plantOperator } from './plant-operator.ts'
import { databaseUrl, type TestService } from './service.ts'

/** A credential of its own, and what ends it. */
export interface EndingCredential {
  headers: Record<string, string>
  /** What the service refuses it with once it has ended. */
  refusal: string
  /** The rows that are it, which its end changes. */
  rows: string
  end(): Promise<unknown>
}

export async function endingKey(
  { context }: TestService,
  scope: KeyScope,
  tenant_id: string | null,
): Promise<EndingCredential> {
  const { api_key, key } = await plantKey(context, { name: 'ends', scope, tenant_id, expires_at: null })
  const where = `key_id = '${key.key_id}'`
  return {
    headers: tenant_id === null ? { 'x-service-admin-key': api_key } : { authorization: `Bearer ${api_key}` },
    refusal: '403 key_revoked',
    rows: `api_keys where ${where}`,
    end: () => asWriter(context.keys, `update api_keys set revoked_at = now() where ${where}`),
  }
}

export async function endingSession({ context }: TestService, accountId: string): Promise<EndingCredential> {
  const token = newToken()
  const session = {
    session_hash: hashSecret(token),
    account_id: accountId,
    idle_ms: 600_000,
    ms_max: 600_000,
  }
  await context.store.change([], query => insertSession(query, { ...session, identity: null }))
  const headers = { cookie: `service_session=${token}`, 'x-service-csrf': csrfTokenOf(token) }
  return { headers, refusal: '401 session_required', ...ofSession('sessions', token, context.store) }
}

export async function endingOperator({ context }: TestService): Promise<EndingCredential> {
  const { console: token, headers } = await plantOperator(context)
  return { headers, refusal: '401 session_required', ...ofSession('operator_sessions', token, context.store) }
}

function ofSession(table: string, token: string, store: TestService['context']['store']) {
  const rows = `${table} where session_hash = '\\x${hashSecret(token).toString('hex')}'`
  return { rows, end: () => asWriter(store, `delete from ${rows}`) }
}

export interface Writing {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

/** The answer to a request whose credential ends once it was admitted, and before the rest of its body comes. */
export async function endDuringBody(
  service: TestService,
  { method, path, headers, body }: Writing,
  credential: EndingCredential,
): Promise<string> {
  const bytes = Buffer.from(body ?? '')
  const admitted = whenAdmitted(service)
  const answer = new Promise<string>((resolve, reject) => {
    const sent = request(new URL(path, service.url), {
      method,
      headers: { ...headers, ...credential.headers, 'content-length': bytes.length },
    })
    sent.on('error', reject)
    sent.on('response', async response => {
      let text = ''
      for await (const part of response) text += part
      resolve(said(response.statusCode, text))
    })
    sent.write(bytes.subarray(0, 1))
    admitted.then(credential.end).then(() => sent.end(bytes.subarray(1)), reject)
  })
  return answer
}

/** The same where it ends once the body was read, before the first transaction that may write. */
export async function endBeforeWriting(
  service: TestService,
  { method, path, headers, body }: Writing,
  credential: EndingCredential,
): Promise<string> {
  const { store } = service.context
  const { under } = store
  store.under = hold =>
    under(async writer => {
      await credential.end()
      await hold(writer)
    })
  try {
    const { status, text } = await service.call(method, path, {
      headers: { ...headers, ...credential.headers },
      ...(body === null ? {} : { raw: body }),
    })
    return said(status, text)
  } finally {
    store.under = under
  }
}

function said(status: number | undefined, text: string): string {
  const { code = '' } = (text === '' ? {} : JSON.parse(text)) as { code?: string }
  return `${status} ${code}`.trim()
}

const lookUps = new Set(['find_keys', 'find_session', 'find_operator_session'])

/** Resolves when the next request was asked who it is. */
function whenAdmitted(service: TestService): Promise<void> {
  return new Promise(resolve =>
    holdAdmitted(service, async stop => {
      stop()
      resolve()
    }),
  )
}

/** The next requests go on when so many were asked who they are, so that none of them ends before the last begins. */
export function admitTogether(service: TestService, count: number): void {
  let missing = count
  const all = new Promise<void>(resolve =>
    holdAdmitted(service, stop => {
      missing -= 1
      if (missing > 0) return all
      stop()
      resolve()
      return all
    }),
  )
}

/** Every request waits for `admitted` once it was asked who it is, until that stops it. */
function holdAdmitted(
  { context: { store } }: TestService,
  admitted: (stop: () => void) => Promise<void>,
): void {
  const { read } = store
  const stop = () => {
    store.read = read
  }
  store.read = async (scope, work) => {
    let asked = false
    const answer = await read(scope, reader =>
      work({
        kind: 'reader',
        query(name, text, parameters) {
          asked ||= lookUps.has(name)
          return reader.query(name, text, parameters)
        },
      }),
    )
    if (asked) await admitted(stop)
    return answer
  }
}

/** Written by the process itself, and not by requests. */
const ofTheProcess = new Set([
  ...['workers', 'scan_cursors', 'number_hours', 'number_marks', 'log_outbox', 'tenant_logs', 'log_entries'],
  ...['log_nodes', 'log_checkpoints', 'log_keys', 'unsigned_statements', 'action_statements'],
  ...['report_signatures', 'unsigned_reports', 'webhook_deliveries', 'execution_jobs', 'queue_samples'],
])

/** What is in the tables that requests write, but for the rows of a credential. */
export async function writtenIn({ database }: TestService, { rows }: EndingCredential): Promise<unknown> {
  const client = new pg.Client(databaseUrl(database))
  await client.connect()
  try {
    await client.query('set search_path to action_gate')
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'action_gate'::regnamespace and relkind = 'r'`,
    )
    const own = rows.split(' where ')
    const texts = tables
      .filter(({ name }) => !ofTheProcess.has(name))
      .map(({ name }) => {
        const others = name === own[0] ? `where not (${own[1]})` : ''
        return `select '${name}' as name, count(*)::int as count, sum(hashtext(t::text)::int8)::text as sum from ${name} t ${others}`
      })
    return (await client.query(`${texts.join(' union all ')} order by 1`)).rows
  } finally {
    await client.end()
  }
}

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { startEmbeddedPostgres } from '../../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import {
  agentKey,
  makePlace,
  makeSeed,
  type RunningProcess,
  type ServicePlace,
  stop,
} from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

/** A start that fails leaves no call behind whose outcome nobody knows. */

const ops = ['--bootstrap-admin-key-name', 'ops']
const quick = { SERVICE_SWEEP_MS: '200', SERVICE_SUBMIT_WAIT_MS: '0' }

let seed: ServicePlace
let place: ServicePlace
let db: string
let flags: string[]

beforeAll(async () => {
  seed = await makeSeed()
})

beforeEach(async () => {
  place = await makePlace(seed.directory)
  db = await place.plant('db')
  flags = ['--tenant-db', db, '--config', await place.configure({ settings: { delay_ms: 1_500 } })]
})

afterEach(() => place.clear())

afterAll(() => seed.clear())

/** Kills a service that is busy with a first action while these wait to be called. */
async function leaveDue(proposals: readonly string[]): Promise<{ key: string; ids: string[] }> {
  const service = await place.start([...flags, ...ops], { ...quick, SERVICE_WORKER_CONCURRENCY: '1' })
  const key = await agentKey(service)
  const submit = async (proposal_id: string) =>
    (await service.call<Verdict>('POST', '/v1/actions', { key, json: proposal({ proposal_id }) })).body
      .action_id
  const busy = await submit('busy')
  await expect.poll(() => state(service, key, busy)).toEqual(['executing', 1])
  const ids: string[] = []
  for (const name of proposals) ids.push(await submit(name))
  service.process.signal('SIGKILL')
  await service.process.exited
  return { key, ids }
}

async function state({ call }: RunningProcess, key: string, id: string) {
  const { body } = await call<Trace>('GET', `/v1/actions/${id}`, { key })
  return [body.status, body.job?.attempt]
}

/** The next service does what is due, each at its first attempt. */
async function nextExecutes(key: string, ids: readonly string[]): Promise<void> {
  const next = await place.start(flags, quick)
  const states = () => Promise.all(ids.map(id => state(next, key, id)))
  await expect.poll(states, { timeout: 10_000 }).toEqual(ids.map(() => ['executed', 1]))
  await stop(next)
}

it('a port that is taken is found before anything is called', async () => {
  const { key, ids } = await leaveDue(['1', '2', '3', '4', '5'])
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const refused = place.launch([...flags, '--port', String(port)], quick)
  expect(await refused.exited).toEqual({ code: 1, signal: null })
  taken.close()
  await nextExecutes(key, ids)
}, 60_000)

it('what fails after the worker began lets the calls under way end', async () => {
  const { key, ids } = await leaveDue(['due'])
  await atDatabase(
    `create function refuse_key() returns trigger language plpgsql security definer as $$
     begin
       while not exists (select from action_gate.actions where proposal_id = 'due' and status = 'executing') loop
         perform pg_sleep(0.01);
       end loop;
       raise 'no key today';
     end $$`,
    'create trigger refuse_key before insert on action_gate.api_keys for each row execute function refuse_key()',
  )
  const failed = place.launch([...flags, '--bootstrap-admin-key-name', 'another'], quick)
  expect(await failed.exited).toEqual({ code: 1, signal: null })
  expect(failed.output()).toContain('Failed query: insert into "action_gate"."api_keys"')
  expect(failed.output()).toContain('caused by: error: no key today')
  expect(failed.output()).not.toContain('params')
  await nextExecutes(key, ids)
}, 60_000)

async function atDatabase(...statements: string[]): Promise<void> {
  const server = await startEmbeddedPostgres({ directory: db, durable: true })
  const { socketDirectory: host, superuser } = server
  const drop = async () => undefined
  await asSuperuser(
    { host, superuser, database: 'postgres', runtimeUser: 'action_gate_runtime', drop },
    ...statements,
  )
  await server.stop()
}

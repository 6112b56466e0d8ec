import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { needs } from '../../support/helper-programs.ts'
import {
  adminKey,
  agentKey,
  makePlace,
  makeSeed,
  type RunningProcess,
  type ServicePlace,
  stop,
} from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

const run = promisify(execFile)
const ops = ['--bootstrap-admin-key-name', 'ops']

let seed: ServicePlace
let place: ServicePlace

beforeAll(async () => {
  seed = await makeSeed()
})

beforeEach(async () => {
  place = await makePlace(seed.directory)
})

afterEach(() => place.clear())

afterAll(() => seed.clear())

function submit(service: RunningProcess, key: string, change: Parameters<typeof proposal>[0]) {
  return service.call<Verdict>('POST', '/v1/actions', { key, json: proposal(change) })
}

describe('a first start without anything', () => {
  it('prints keys and a curl that works as pasted, and answers 200 executed', async context => {
    needs(context, 'curl')
    const service = await place.start([])
    await service.process.logged(
      'no --tenant-db: everything is in a temporary directory that goes with this process',
    )
    const printed = await service.process.printed(/([\s\S]*}')/)
    const key = (scope: string) => new RegExp(`^  ${scope} +(\\S+)$`, 'm').exec(printed)?.[1] ?? ''
    const { stdout } = await run('/bin/sh', ['-c', printed.slice(printed.indexOf('curl '))])
    const verdict = JSON.parse(stdout) as Verdict
    expect(verdict).toMatchObject({ action_status: 'executed', principal: { tenant_id: 'demo' } })
    const trace = await service.call<Trace>('GET', `/v1/actions/${verdict.action_id}`, { key: key('agent') })
    expect(trace.body.status).toBe('executed')
    expect((await service.call('GET', '/v1/approvals', { key: key('approver') })).status).toBe(200)
    expect((await service.call('GET', '/v1/tenants', { admin: key('admin') })).status).toBe(200)
    await stop(service)
  })
})

describe('--bootstrap-admin-key-name', () => {
  it('prints the key, once, and nothing else; the log is JSON on standard error', async () => {
    const service = await place.start(['--tenant-db', await place.plant('db'), ...ops])
    const key = await adminKey(service)
    expect((await service.call('GET', '/v1/tenants', { admin: key })).body.tenants).toEqual([])
    await stop(service)
    const notJson = service.process.output().match(/(?<=\n)[^{\n].*/g) ?? []
    expect(notJson).toEqual([`admin api key (shown once): ${key}`])
  })
})

describe('--config', () => {
  it('seeds the tenants that are missing, and leaves those that are there', async () => {
    const flags = ['--tenant-db', await place.plant('db'), '--config', await place.configure(), ...ops]
    const route = async (service: RunningProcess, admin: string) => {
      const path = '/v1/tenants/shop/policy'
      const { body } = await service.call<{ policy: { review_route: string } }>('GET', path, { admin })
      return body.policy.review_route
    }
    const first = await place.start(flags)
    const admin = await adminKey(first)
    expect(await route(first, admin)).toBe('leads')
    await stop(first)
    await place.configure({ review_route: 'others' })
    const second = await place.start(flags)
    expect(await route(second, admin)).toBe('leads')
    await stop(second)
  })
})

describe('--tenant-db and --api-key-db', () => {
  it('keep actions and keys over a restart', async () => {
    const databases = ['--tenant-db', await place.plant('tenants'), '--api-key-db', await place.plant('keys')]
    const flags = [...databases, '--config', await place.configure()]
    const first = await place.start([...flags, ...ops])
    const key = await agentKey(first)
    const done = await submit(first, key, { proposal_id: 'kept' })
    expect(done.body.action_status).toBe('executed')
    await stop(first)

    const second = await place.start(flags)
    const trace = await second.call<Trace>('GET', `/v1/actions/${done.body.action_id}`, { key })
    expect(trace.body).toMatchObject({ status: 'executed', audit_root: done.body.audit.root })
    expect((await submit(second, key, { proposal_id: 'kept' })).body).toEqual(done.body)
    expect((await submit(second, key, {})).body.action_status).toBe('executed')
    await stop(second)
  })

  it('lend their directory to one process: a second is refused, and the first goes on', async () => {
    const db = await place.plant('db')
    const first = await place.start(['--tenant-db', db, ...ops])
    const second = place.launch(['--tenant-db', db])
    expect(await second.exited).toEqual({ code: 1, signal: null })
    expect(second.output()).toContain(db)
    expect(second.output()).toMatch(/in use|another process/)
    expect(second.output()).not.toMatch(/\n\s+at /)
    expect((await first.call('GET', '/v1/ready')).status).toBe(200)
    await stop(first)
  })
})

describe('--actuators', () => {
  it('loads a module whose actuators the configuration names', async () => {
    const module = join(place.directory, 'actuators.mjs')
    await writeFile(
      module,
      `export const ledger = {
        name: 'ledger',
        idempotency: 'key_honoured',
        async invoke({ operation, idempotency_key }) {
          return { class: 'ok', detail: { booked: operation, under: idempotency_key } }
        },
      }\n`,
    )
    const config = await place.configure({ system: 'ledger', kind: 'module' })
    const flags = ['--tenant-db', await place.plant('db'), '--config', config, '--actuators', module]
    const service = await place.start([...flags, ...ops])
    const done = await submit(service, await agentKey(service), { system: 'ledger', operation: 'credit' })
    expect(done.body.result?.detail).toEqual({
      booked: 'credit',
      under: expect.stringMatching(/^[\w-]{43}$/),
    })
    await stop(service)
  })
})

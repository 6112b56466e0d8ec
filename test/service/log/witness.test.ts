import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openCheckpoint } from '../../../shared/audit/note/checkpoint.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { LogCheckpoint } from '../../../shared/contract/action/audit-log.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { type MockWitness, startMockWitness } from '../../support/fixtures/mock-witness.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let witness: MockWitness
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  witness = await startMockWitness(testVerifierKey())
  const env = {
    SERVICE_WITNESS_URL: witness.url,
    SERVICE_WITNESS_KEY: witness.vkey,
    SERVICE_WITNESS_MS: '300',
  }
  service = await startService({ env })
  tenant = await service.tenant()
})

afterEach(() => witness.misbehave(null))

afterAll(async () => {
  await service.close()
  await witness.close()
})

const latest = async () =>
  (await service.call<LogCheckpoint>('GET', '/v1/audit/checkpoint', { key: tenant.agent })).body

async function execute(): Promise<string> {
  const { body } = await tenant.submit()
  await tenant.settled(body.action_id)
  return body.action_id
}

/** Who signed the latest checkpoint beside the service. */
async function witnesses(): Promise<string[]> {
  const opened = openCheckpoint((await latest()).checkpoint, [testVerifierKey(), witness.key])
  return opened.ok ? opened.value.witnesses.map(({ name }) => name) : [opened.error]
}

describe('a witness', () => {
  it('signs that it saw each log grow, and checkpoints and exports have its signature', async () => {
    const id = await execute()
    await expect.poll(witnesses, { timeout: 10_000 }).toEqual(['witness.example.org'])
    const path = `/v1/actions/${id}/audit-export`
    const log = async () =>
      JSON.stringify((await service.call<AuditExport>('GET', path, { key: tenant.agent })).body.log)
    await expect.poll(log, { timeout: 10_000 }).toContain('witness.example.org')
    await execute()
    await expect.poll(() => witness.asked.some(({ old, status }) => old > 0 && status === 200)).toBe(true)
  })

  it('is asked again where nothing grows, so that silence is evidence', async () => {
    const asked = witness.asked.length
    const repeats = () => witness.asked.slice(asked).filter(({ old, size }) => old === size).length
    await expect.poll(repeats, { timeout: 10_000 }).toBeGreaterThan(2)
  })

  it('that says another size is told from there', async () => {
    const asked = witness.asked.length
    witness.misbehave({ seen: () => 1 })
    await execute()
    await expect
      .poll(() => witness.asked.slice(asked).some(({ old, status }) => old === 1 && status !== 409))
      .toBe(true)
  })

  it('that says another size each time is not asked again and again', async () => {
    let told = 0
    witness.misbehave({
      seen() {
        told += 1
        return 1 + (told % 2)
      },
    })
    await execute()
    const refusals = () => /witnessed_total{outcome="refused"} (\d+)/.exec(metrics)?.[1] ?? '0'
    let metrics = ''
    await expect
      .poll(async () => {
        metrics = (await service.call('GET', '/metrics')).text
        return Number(refusals())
      })
      .toBeGreaterThan(1)
    expect(told).toBeLessThanOrEqual(2 * (Number(refusals()) + 2))
  })

  it('is believed in its own name alone: what else it answers is not handed on', async () => {
    const { id, name } = testVerifierKey()
    const forged = Buffer.concat([id, Buffer.alloc(64, 1)]).toString('base64')
    witness.misbehave({ more: `\u2014 ${name} ${forged}\n` })
    await execute()
    await expect.poll(witnesses, { timeout: 10_000 }).toEqual(['witness.example.org'])
    expect((await latest()).checkpoint).not.toContain(forged)
  })

  it('that has seen a longer log than there is raises the alarm', async () => {
    witness.misbehave({ seen: () => 1_000_000 })
    await expect.poll(() => service.logged()).toContain('the witness has seen 1000000 entries')
  })

  it.each([
    ['nothing', ''],
    ['nonsense', 'thank you\n'],
    [
      'the signature of somebody else',
      `\u2014 witness.example.org ${Buffer.alloc(76, 1).toString('base64')}\n`,
    ],
  ])('that answers with %s has signed nothing', async (_, text) => {
    witness.misbehave({ text })
    const logged = service.logged().length
    await execute()
    await expect
      .poll(() => service.logged().slice(logged), { timeout: 10_000 })
      .toContain('the witness answered no cosignature')
    expect(await witnesses()).toEqual([])
  })
})

describe('a worker does not start with', () => {
  it('a password in the URL of the witness, and does not repeat it', async () => {
    const SERVICE_WITNESS_URL = witness.url.replace('http://', 'http://me:hunter2@')
    const answer = startService({ env: { SERVICE_WITNESS_URL, SERVICE_WITNESS_KEY: witness.vkey } })
    await expect(answer).rejects.toThrow(/^SERVICE_WITNESS_URL: it must hold no name and no password$/)
  })

  it.each([
    ['no key of the witness', {}],
    ['a key that is none', { SERVICE_WITNESS_KEY: 'witness' }],
    ['the key of a log', { SERVICE_WITNESS_KEY: 'x+' }],
  ])('%s', async (_, env) => {
    const answer = startService({ env: { SERVICE_WITNESS_URL: witness.url, ...env } })
    await expect(answer).rejects.toThrow(/SERVICE_WITNESS_KEY/)
  })
})

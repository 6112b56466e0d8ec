import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createLogger } from '../../shared/runtime/telemetry/logger.ts'
import { findLeaks } from '../support/audit/find-leaks.ts'
import { canary, logsVariable, plantSecret, publishLog } from '../support/audit/kept-logs.ts'
import { type ApiProcess, type Platform, startPlatform } from '../support/platform/platform.ts'
import { createClient } from '../support/service/http.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'

/** Whatever is logged in a run is looked through for every secret of the run, by the reporter at its end. */
describe('the search for secrets in logs', () => {
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'action-gate-leaks-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  it('finds what a logger without redaction lets through, however it is written', async () => {
    const log = publishLog('careless', directory)
    const careful = createLogger('info', publishLog('careful', directory))
    const secret = 'c2VjcmV0LW9mLXRoZS10ZXN0LXRoYXQtbGVha3M'
    const phrase = 'a "phrase" of words'
    for (const planted of [secret, phrase, 'token-of-a-downstream']) plantSecret(planted, directory)
    careful.info({ api_key: secret, parameters: { phrase } }, 'redacted')
    log.write('{"msg":"nothing"}\n')
    log.write(`{"header":"Bearer agk_aaaaaaaaaaaaaaaa.${secret}"}\n`)
    log.write(`{"joined":"key_${secret}_end"}\n`)
    log.write(`${JSON.stringify({ said: phrase })}\n`)
    log.write(`{"hex":"${Buffer.from(secret).toString('hex')}"}\n`)
    log.write(`{"base64":"x${Buffer.from(secret).toString('base64')}"}\n`)
    log.write(`{"beginning":"${secret.slice(0, 20)}"}\n`)
    log.write(`{"env":"token-of-a-downstream"}\n`)
    const { leaks, ...counts } = await findLeaks(directory)
    expect(counts).toEqual({ files: 2, lines: 9, secrets: 3 })
    expect(leaks.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 8])
    expect(new Set(leaks.map(({ file }) => file.replace(/^\d+-\d+-/, '')))).toEqual(new Set(['careless.log']))
  })

  it('has the log of every service that a test starts, and what its clients show', async () => {
    const service = await startService({ worker: null, env: { SERVICE_SUBMIT_WAIT_MS: '0' } })
    const tenant = await service.tenant()
    await tenant.submit()
    await service.close()
    const kept = process.env[logsVariable] ?? ''
    const names = (await readdir(kept)).filter(name => name.startsWith(String(process.pid)))
    const texts = await Promise.all(names.map(name => readFile(join(kept, name), 'utf8')))
    expect(texts.some(text => text.includes('"msg":"request"'))).toBe(true)
    for (const key of [tenant.agent, service.admin]) {
      expect(texts.some(text => text.includes(JSON.stringify(key.split('.')[1])))).toBe(true)
    }
  })
})

describe('what is proposed', () => {
  let platform: Platform
  let api: ApiProcess
  let service: TestService

  beforeAll(async () => {
    platform = await startPlatform(inject('redisUrl'), { SERVICE_LOG_LEVEL: 'debug' })
    api = await platform.startApi()
    await platform.startWorker()
    service = await startService({ env: { SERVICE_FAILPOINT: 'submit_decided:throw' } })
  })
  afterAll(async () => {
    await platform.stop()
    await service.close()
  })

  it('is in no log of either process, whatever becomes of it', async () => {
    const { call, close } = createClient(api.url)
    const { agent: key, approver } = platform.keys
    const words = { parameters: { note: canary('parameter') }, summary: canary('summary') }
    const ask = (change: object) =>
      call<{ action_id: string }>('POST', '/v1/actions', { key, json: proposal({ ...words, ...change }) })
    const allowed = await ask({ system: 'mock_crm', operation: 'write' })
    expect(allowed.status).toBe(202)
    await expect
      .poll(async () => (await call('GET', `/v1/actions/${allowed.body.action_id}`, { key })).body.status)
      .toBe('executed')
    expect((await ask({ system: 'elsewhere' })).body).toMatchObject({ decision: 'deny' })
    const held = await ask({ system: 'mock_crm', operation: 'write', risk: 'high' })
    const note = canary('note')
    const rejected = await call('POST', `/v1/actions/${held.body.action_id}/reject`, {
      key: approver,
      json: { note },
    })
    expect(rejected.status).toBe(200)
    const refused = [
      { key, json: { ...proposal(words), unknown: canary('member') } },
      { key, raw: `{"proposal_id": "${canary('half')}"` },
      { key: `${canary('credential')}`, json: proposal(words) },
      { key, json: proposal(words), headers: { prefer: `wait=${canary('header')}` } },
    ]
    for (const sent of refused) expect((await call('POST', '/v1/actions', sent)).status).toBeLessThan(500)
    await call('GET', `/v1/actions?cursor=${canary('query')}`, { key })
    await call('GET', `/v1/${canary('path')}`, { key })
    close()
    const logged = platform.output()
    expect(logged).toContain('"msg":"request"')
    expect(logged).not.toContain('canary-')
  })

  it('is not told with an error that nobody expected either', async () => {
    const tenant = await service.tenant()
    const answer = await tenant.submit({ parameters: { note: canary('failed') }, summary: canary('failing') })
    expect(answer.status).toBe(500)
    expect(service.logged()).toContain('"msg":"unexpected error"')
    expect(service.logged()).not.toContain('canary-')
    const [line] = service
      .logged()
      .split('\n')
      .filter(text => text.includes('"msg":"unexpected error"'))
    const { request_id, trace_id } = answer.body as { request_id?: string; trace_id?: string }
    expect(trace_id).toBeUndefined()
    expect(JSON.parse(line ?? '')).toMatchObject({
      request_id,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
  })
})

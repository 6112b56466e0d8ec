import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { needs } from '../../support/helper-programs.ts'
import { processesOf } from '../../support/platform/processes.ts'
import { openTerminal, type Terminal } from '../../support/platform/terminal.ts'
import { createClient } from '../../support/service/http.ts'
import { makePlace, type ServicePlace } from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

/** What a person does who tries the service: `npm start` in a terminal, and Ctrl-C. */

let place: ServicePlace
let terminal: Terminal | undefined

beforeEach(async context => {
  place = await makePlace(null)
  needs(context, 'script')
})

afterEach(async () => {
  await terminal?.close()
  await place.clear()
})

async function startByNpm(delay_ms: number) {
  const config = await place.configure({ settings: { delay_ms } })
  const db = join(place.directory, 'db')
  const flags = `--port 0 --tenant-db ${db} --config ${config} --bootstrap-admin-key-name ops`
  const opened = openTerminal(`exec npm start -- ${flags}`)
  terminal = opened
  expect(await opened.printed(/(Action Gate runs \(API and worker\)\.)/)).toBeTruthy()
  const url = await opened.printed(/ listening url=(\S+)/)
  const admin = await opened.printed(/admin api key \(shown once\): (\S+)/)
  const client = createClient(url)
  const json = { name: 'agent' }
  const { body } = await client.call<{ api_key: string }>('POST', '/v1/tenants/shop/api-keys', {
    admin,
    json,
  })
  return { terminal: opened, client, key: body.api_key }
}

it('Ctrl-C under npm start lets the call that is under way end', async () => {
  const { terminal, client, key } = await startByNpm(2_500)
  const answer = client.call<Verdict>('POST', '/v1/actions', {
    key,
    json: proposal(),
    headers: { prefer: 'wait=20' },
  })
  const executing = async () => {
    const { body } = await client.call<{ actions: unknown[] }>('GET', '/v1/actions?status=executing', { key })
    return body.actions.length
  }
  await expect.poll(executing, { timeout: 10_000 }).toBe(1)
  terminal.pressCtrlC()
  expect((await answer).body.action_status).toBe('executed')
  client.close()
  expect(await terminal.exited, terminal.output()).toBe(0)
  expect(processesOf(place.directory)).toEqual([])
}, 60_000)

it('Ctrl-C a second later ends it at once, whatever is under way', async () => {
  const { terminal, client, key } = await startByNpm(60_000)
  const answer = client.call('POST', '/v1/actions', { key, json: proposal(), headers: { prefer: 'wait=20' } })
  const cut = expect(answer).rejects.toThrow()
  const executing = async () => {
    const { body } = await client.call<{ actions: unknown[] }>('GET', '/v1/actions?status=executing', { key })
    return body.actions.length
  }
  await expect.poll(executing, { timeout: 10_000 }).toBe(1)
  const again = setInterval(terminal.pressCtrlC, 200)
  const begun = performance.now()
  const code = await terminal.exited
  clearInterval(again)
  expect(code).not.toBe(0)
  expect(performance.now() - begun).toBeGreaterThan(1_000)
  expect(performance.now() - begun).toBeLessThan(8_000)
  await cut
  client.close()
}, 60_000)

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { policyTemplates } from '../../../shared/gate/templates.ts'
import { needs, systemProgram } from '../../support/helper-programs.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_SUBMIT_WAIT_MS: '0' } })
})
afterAll(() => service.close())

describe('GET /', () => {
  it('shows a browser what runs and where to go, under the policy of the pages', async () => {
    const response = await fetch(service.url, { headers: { accept: browser } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(response.headers.get('vary')).toBe('accept')
    const page = await response.text()
    for (const path of ['/admin', '/app', '/docs', '/docs/api', '/openapi.yaml'])
      expect(page).toContain(`href="${path}"`)
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
  })

  it.each([undefined, '*/*', 'application/json'])(
    'answers a program that accepts %s with a problem',
    async accept => {
      const response = await fetch(service.url, { headers: accept === undefined ? {} : { accept } })
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
    },
  )

  it('prints a command that proposes the example as a new action, at its own address', async context => {
    needs(context, 'curl')
    const page = await (await fetch(service.url, { headers: { accept: browser } })).text()
    const [, command = ''] = /(curl [^<]*)<\/code>/.exec(page) ?? []
    expect(command).toContain(`${service.url}/v1/actions`)
    const support = policyTemplates.find(({ name }) => name === 'support')
    if (!support) throw new Error('there is no such template')
    const { agent } = await service.tenant({
      policy: support.policy,
      actuators: ['helpdesk', 'payments'].map(name => ({ name, kind: 'mock', settings: {} }) as const),
    })
    const env = { PATH: process.env.PATH, ACTION_GATE_KEY: agent }
    const { stdout } = await promisify(execFile)(
      systemProgram('sh'),
      ['-c', command.replaceAll('&amp;', '&')],
      { env },
    )
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'allow' })
    const [, sent = ''] = /-d '([^$]*)'\$/.exec(command) ?? []
    expect(sent).toContain(String(support.example_proposal.proposal_id))
  })
})

it('the line of a request names tenant, key, action and the code of its problem', async () => {
  const tenant = await service.tenant()
  const { body } = await tenant.submit()
  await tenant.trace(body.action_id)
  await fetch(`${service.url}/v1/actions/act_aaaaaaaaaaaaaaaa`, {
    headers: { authorization: `Bearer ${tenant.agent}` },
  })
  const lines = () =>
    service
      .logged()
      .split('\n')
      .filter(line => line.includes('"msg":"request"'))
      .map(line => JSON.parse(line) as Record<string, unknown>)
  const of = { tenant_id: tenant.id, key_id: expect.stringMatching(/^agk_/) }
  await expect.poll(lines).toContainEqual(expect.objectContaining({ ...of, action_id: body.action_id }))
  await expect
    .poll(lines)
    .toContainEqual(
      expect.objectContaining({ ...of, action_id: 'act_aaaaaaaaaaaaaaaa', code: 'action_not_found' }),
    )
})

it('the API reference has every operation in its HTML, before any script', async () => {
  const reference = await (await fetch(`${service.url}/docs/api`)).text()
  const missing = Object.keys(endpoints).filter(name => !reference.includes(`<h3 id="${name}">`))
  expect(missing).toEqual([])
  const ofAgents = await (await fetch(`${service.url}/docs/api-agent`)).text()
  expect(ofAgents).toContain('<h3 id="submit_action">')
  expect(ofAgents).not.toContain('<h3 id="list_tenants">')
})

describe('below a path', () => {
  let below: TestService
  beforeAll(async () => {
    below = await startService({ worker: null, env: { SERVICE_BASE_URL: 'https://gate.example.org/agents' } })
  })
  afterAll(() => below.close())

  /** What the pages load and lead to, beside addresses of others. */
  const paths = (page: string) =>
    [...page.matchAll(/(?:href|src|data-search)="(\/[^"]*)"/g)].map(([, path = '']) => path)

  it.each(['', '/', '/admin', '/approve/demo/act_1', '/docs', '/docs/api'])(
    'serves %s with and without it, and leads nowhere else',
    async path => {
      for (const asked of [`/agents${path}`, path]) {
        const response = await fetch(`${below.url}${asked}`, { headers: { accept: browser } })
        expect({ asked, status: response.status }).toEqual({ asked, status: 200 })
        const found = paths(await response.text())
        expect(found.length).toBeGreaterThan(0)
        expect(found.filter(one => !one.startsWith('/agents/'))).toEqual([])
      }
    },
  )

  it('what only begins like it is another path, and files are the same at both', async () => {
    expect((await fetch(`${below.url}/agentsx/docs`)).status).toBe(404)
    expect((await fetch(`${below.url}/agents/v1/ready?wait=1`)).status).toBe(
      (await fetch(`${below.url}/v1/ready?wait=1`)).status,
    )
    const page = await (await fetch(`${below.url}/agents/admin`)).text()
    const [script = ''] = paths(page).filter(path => path.endsWith('.js'))
    expect((await fetch(`${below.url}${script}`)).headers.get('content-type')).toContain('javascript')
    const inPlace = script.replace('/agents', '')
    expect(await (await fetch(`${below.url}${inPlace}`)).text()).not.toMatch(/["'`]\/ui\/assets/)
  })
})

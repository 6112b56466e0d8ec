import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MockSettings } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { Integration } from '../../../shared/contract/configuration/getting-started.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import type { CheckedProposal } from '../../../shared/contract/configuration/policy-check.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { needs, systemProgram } from '../../support/helper-programs.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
const awkward = `l'Été "$HOME" \`x\` \\n $(id) '''`

let service: TestService

beforeAll(async () => {
  service = await startService({ env: { SERVICE_SUBMIT_WAIT_MS: '0', SERVICE_RECONCILE_MS_MIN: '3600000' } })
})

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

function make(settings: MockSettings = {}, policy: PolicyInput = plainPolicy): Promise<TestTenant> {
  return service.tenant({ policy, actuators: [{ name: 'crm', kind: 'mock', settings }] })
}

async function bundle(key: string): Promise<Integration> {
  const { status, body } = await service.call<Integration>('GET', '/v1/integration', { key })
  expect(status).toBe(200)
  return body
}

/** What a snippet printed, run as it is printed, with its key and the address in the environment. */
async function play(language: keyof Integration['snippets'], code: string, key: string): Promise<string> {
  const file = join(folder, { curl: 'snippet.sh', typescript: 'snippet.mts', python: 'snippet.py' }[language])
  writeFileSync(file, code)
  const env = { PATH: process.env.PATH, ACTION_GATE_KEY: key, ACTION_GATE_URL: service.url }
  if (language === 'curl') return (await run(systemProgram('sh'), [file], { env })).stdout
  if (language === 'python') return (await run('python3', [file], { env })).stdout
  const script = join(folder, 'snippet.mjs')
  writeFileSync(script, transpiled(file, code))
  return (await run(process.execPath, [script], { env })).stdout
}

/** Type-checked as a strict program, then without its types. */
function transpiled(file: string, code: string): string {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    types: ['node'],
    // The declarations of Node itself are not what is looked at.
    skipLibCheck: true,
    typeRoots: [join(import.meta.dirname, '../../../node_modules/@types')],
  }
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options))
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  return ts.transpileModule(code, { compilerOptions: options, fileName: file }).outputText
}

const languages = ['curl', 'typescript', 'python'] as const

/** What a snippet in a language runs, beside Node. */
const programs = { curl: ['curl'], typescript: [], python: ['python3'] } as const

describe('GET /v1/integration', () => {
  it('names every endpoint that the key may call, with its url', async () => {
    const tenant = await make()
    for (const [key, scope] of [
      [tenant.agent, 'agent'],
      [tenant.approver, 'approver'],
    ] as const) {
      const { endpoints: open, ...rest } = await bundle(key)
      const expected = Object.entries(endpoints).filter(
        ([, { access }]) => access === scope || access === 'agent_or_approver',
      )
      expect(Object.keys(open)).toEqual(expected.map(([name]) => name))
      expect(rest).toMatchObject({ scope, tenant_id: tenant.id, policy: { revision: 1 } })
      expect(JSON.stringify(rest)).not.toContain(key.split('.')[1])
    }
  })

  it.each([
    ['with constraints', { crm: { read: { 'account.id': { equals: awkward } } } }],
    ['with bounds', { crm: { read: { amount: { min: 5, max: 7 }, currency: { one_of: ['EUR'] } } } }],
  ] as [string, PolicyInput['parameter_constraints']][])(
    'has an example that the policy allows, %s',
    async (_, parameter_constraints) => {
      const policy = {
        ...plainPolicy,
        allowed_operations: { crm: ['read'] },
        ...(parameter_constraints ? { parameter_constraints } : {}),
      }
      const tenant = await make({}, policy)
      const { example_proposal: proposal } = await bundle(tenant.agent)
      const { body } = await service.call<CheckedProposal>('POST', `/v1/tenants/${tenant.id}/policy/check`, {
        admin: service.admin,
        json: { proposal },
      })
      expect(body.decision).toBe('allow')
    },
  )

  it.each([
    ['members beside alternatives', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
    ['a member that asks for another one', { required: ['a'], dependentRequired: { a: ['b'] } }],
    ['a least number of members', { minProperties: 1 }],
    [
      'a text of its own for a pattern',
      {
        required: ['a'],
        properties: { a: { type: 'string', pattern: '^ord-[0-9]+$', examples: ['ord-17'] } },
      },
    ],
  ])('has an example that the catalog allows, with %s', async (_, asked) => {
    const tenant = await make({}, { ...plainPolicy, allowed_operations: { crm: ['read'] } })
    const text = { type: 'string' }
    const entry = {
      ...{ system: 'crm', operation: 'read', title: 'Read', minimum_risk: 'low', effects: ['reads'] },
      ...{ reversibility: 'reversible', idempotency: 'key_honoured', tool_schema_hash: null },
      actuator: { name: 'crm', kind: 'mock' },
      parameter_schema: {
        type: 'object',
        additionalProperties: false,
        properties: { a: text, b: text },
        ...asked,
      },
    }
    const { status } = await service.call('POST', `/v1/tenants/${tenant.id}/catalog`, {
      admin: service.admin,
      json: { operations: [entry] },
    })
    expect(status).toBe(201)
    const { example_proposal: proposal } = await bundle(tenant.agent)
    const { body } = await service.call<CheckedProposal>('POST', `/v1/tenants/${tenant.id}/policy/check`, {
      admin: service.admin,
      json: { proposal },
    })
    expect(body).toMatchObject({ decision: 'allow', blocking_reasons: [] })
  })

  it('has an example even where a policy allows nothing', async () => {
    const tenant = await make({}, { ...plainPolicy, allowed_systems: [] })
    const { example_proposal } = await bundle(tenant.agent)
    expect(
      (await service.call('POST', '/v1/actions', { key: tenant.agent, json: example_proposal })).body,
    ).toMatchObject({
      decision: 'deny',
    })
  })
})

describe.each(languages)('the agent’s snippet in %s, run as it is printed', language => {
  beforeEach(context => needs(context, ...programs[language]))

  it.each([
    ['executed', {}, 'low', 'done'],
    ['outcome_unknown', { outcome: 'unknown', idempotency: 'none' }, 'low', 'stop all automation'],
    ['execution_failed', { outcome: 'failed' }, 'low', 'it failed without an effect'],
  ] as [string, MockSettings, string, string][])(
    'submits, polls, and comes to an end where it is %s',
    async (status, settings, _, said) => {
      const tenant = await make(settings)
      const { snippets } = await bundle(tenant.agent)
      expect(await play(language, snippets[language], tenant.agent)).toContain(said)
      const { body } = await service.call<{ actions: { status: string }[] }>('GET', '/v1/actions', {
        key: tenant.agent,
      })
      expect(body.actions.map(action => action.status)).toEqual([status])
    },
  )

  it('submits a new proposal each time, at the address that was listened on', async () => {
    const tenant = await make()
    const code = (await bundle(tenant.agent)).snippets[language]
    expect(code).toContain(service.url)
    await play(language, code, tenant.agent)
    await play(language, code, tenant.agent)
    const { body } = await service.call<{ actions: unknown[] }>('GET', '/v1/actions', { key: tenant.agent })
    expect(body.actions).toHaveLength(2)
  })

  it('stops and waits for a person where it is held', async () => {
    const tenant = await make({}, { ...plainPolicy, approval_required_at: 'low', review_route: awkward })
    const { snippets } = await bundle(tenant.agent)
    const printed = await play(language, snippets[language], tenant.agent)
    expect(printed).toContain(language === 'curl' ? 'stop and wait' : `stop and wait for ${awkward}`)
  })

  it('stops where it is denied', async () => {
    const tenant = await make({}, { ...plainPolicy, allowed_systems: [] })
    const { snippets } = await bundle(tenant.agent)
    const printed = await play(language, snippets[language], tenant.agent)
    expect(printed).toContain('stop:')
  })

  it('carries whatever a policy says as it is: nothing breaks out of its quotes', async () => {
    const kinds = [true, false, null, {}, [], { a: [1.5, -2] }]
    const policy: PolicyInput = {
      ...plainPolicy,
      allowed_operations: { crm: ['read'] },
      parameter_constraints: { crm: { read: { text: { equals: awkward }, kinds: { equals: kinds } } } },
    }
    const tenant = await make({}, policy)
    const { snippets, example_proposal } = await bundle(tenant.agent)
    await play(language, snippets[language], tenant.agent)
    const listed = await service.call<{ actions: { action_id: string }[] }>('GET', '/v1/actions', {
      key: tenant.agent,
    })
    const trace = await tenant.settled(listed.body.actions[0]?.action_id ?? '')
    expect(trace.proposal).toEqual({ ...example_proposal, proposal_id: expect.stringMatching(/^example-./) })
    expect(trace.proposal.action.parameters).toEqual({ text: awkward, kinds })
  })
})

describe.each(languages)('the approver’s snippet in %s', language => {
  beforeEach(context => needs(context, ...programs[language]))

  it('shows what is held', async () => {
    const tenant = await make()
    const { body } = await tenant.submit({ risk: 'high' })
    const { snippets } = await bundle(tenant.approver)
    expect(await play(language, snippets[language], tenant.approver)).toContain(body.action_id)
  })
})

it('the Python snippets compile', async context => {
  needs(context, 'python3')
  const tenant = await make()
  for (const key of [tenant.agent, tenant.approver]) {
    const file = join(folder, 'compiled.py')
    const { python } = (await bundle(key)).snippets
    expect(Math.max(...python.split('\n').map(line => line.length)), 'it is code, line by line').toBeLessThan(
      120,
    )
    writeFileSync(file, python)
    await run('python3', ['-m', 'py_compile', file])
  }
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heldOtherwise } from '../../api/http/author-of.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { tellEveryLog } from '../../shared/flow/log/report-keys.ts'
import {
  type EndingCredential,
  endBeforeWriting,
  endDuringBody,
  endingKey,
  endingOperator,
  endingSession,
  type Writing,
  writtenIn,
} from '../support/service/end-while-asking.ts'
import { type Operation, readContractDocument } from './contract-document.ts'
import { type Asked, pathOf, validRequest } from './valid-request.ts'
import { ownWays } from './ways/ways.ts'
import { type Refusing, startWorld, type World } from './world.ts'

const rows: Readonly<Record<EndpointName, Endpoint>> = endpoints
const document = readContractDocument(openApiYaml({ version: '0.1.0', base_url: '' }))

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.close())

const proves = 'it judges a document and writes nothing'
const ofEach = 'it answers for each of many actions, whose refusals are in its body'
const elsewhere = 'it is refused in this mode, before anything is changed'

/** Rows that answer whatever became of the credential, with the reason: of them, that nothing was written is all. */
const answersAnyway: Readonly<Partial<Record<EndpointName, string>>> = {
  validate_policy: proves,
  check_policy: proves,
  replay_policy: proves,
  verify_policy: proves,
  diff_policy: proves,
  admit_policy: proves,
  import_tool: proves,
  check_owned_policy: proves,
  diff_owned_policy: proves,
  validate_owned_policy: proves,
  import_owned_tool: proves,
  decide_approvals: ofEach,
  decide_owned_approvals: ofEach,
  allow_local_host: elsewhere,
}

/** Rows whose documented example comes to no transaction: they are asked as in their way to success. */
const byTheirWay: ReadonlySet<string> = new Set<EndpointName>([
  'make_grant',
  'make_owned_grant',
  'erase_action',
  'edit_action',
  'edit_owned_action',
])

/** A request that would succeed, but for its credential. */
async function askedOf(operation: Operation): Promise<Asked> {
  const status = Object.keys(operation.responses).find(one => one.startsWith('2')) ?? ''
  const way = byTheirWay.has(operation.operationId) ? ownWays[operation.operationId]?.[status] : undefined
  if (!way) return validRequest(operation, world.known)
  return (await way(operation, { world, refusing: {} as Refusing })).asked
}

type Kind = 'admin' | 'console' | 'session' | 'agent' | 'approver' | 'member'

const kindsOf: Record<Exclude<Endpoint['access'], 'none'>, readonly Kind[]> = {
  agent: ['agent'],
  approver: ['approver'],
  agent_or_approver: ['agent', 'approver'],
  admin: ['admin', 'console'],
  operator: ['console'],
  session: ['session'],
  member: ['session', 'member'],
}

/** Each row that changes something, with each credential that it takes and each moment at which that may end. */
const cases = document.operations.flatMap(operation => {
  const { access, method, body, roles = [] } = rows[operation.operationId as EndpointName]
  if (access === 'none' || method === 'GET') return []
  const isHeld = !(operation.operationId in heldOtherwise)
  return kindsOf[access]
    .filter(kind => kind !== 'member' || roles.some(role => role !== 'owner'))
    .flatMap(kind => [
      ...(body ? [{ operation, kind, when: 'during its body', ask: endDuringBody }] : []),
      ...(isHeld ? [{ operation, kind, when: 'before its first write', ask: endBeforeWriting }] : []),
    ])
    .map(one => ({ ...one, name: operation.operationId }))
})

function credentialOf(kind: Kind, { operationId }: Operation, tenantId: string): Promise<EndingCredential> {
  const { service, tenant, known } = world
  if (kind === 'admin') return endingKey(service, 'admin', null)
  if (kind === 'console') return endingOperator(service)
  if (kind === 'session') return endingSession(service, known.params.account_id ?? '')
  if (kind !== 'member') return endingKey(service, kind, tenant.id)
  const { roles = [] } = rows[operationId as EndpointName]
  const role = roles.find(one => one !== 'owner')
  if (role === undefined) throw new Error(`${operationId} takes no key`)
  return endingKey(service, role, tenantId)
}

describe('a credential that ends while it asks changes nothing', () => {
  it.each(cases)('$name by $kind, $when', async ({ operation, kind, ask }) => {
    const asked = await askedOf(operation)
    const type = asked.headers['content-type']
    const writing: Writing = {
      method: operation.method,
      path: pathOf(operation, asked),
      headers: type === undefined ? {} : { 'content-type': type },
      body: asked.body,
    }
    const credential = await credentialOf(kind, operation, asked.params.tenant_id ?? '')
    // What the process tells each log by itself is there before the request.
    await tellEveryLog(world.service.context, () => false)
    const before = await writtenIn(world.service, credential)
    const answer = await ask(world.service, writing, credential)
    expect(await writtenIn(world.service, credential)).toEqual(before)
    if (!(operation.operationId in answersAnyway)) expect(answer).toBe(credential.refusal)
  })
})

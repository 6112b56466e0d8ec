import { planRequest } from '../../actuator/plan-request.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import type { PlannedRequest } from '../../contract/action/planned-request.ts'
import { isRegistered, kindOf } from '../../contract/actuator-kind/kinds.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../contract/configuration/catalog.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { ToolTest, ToolTested } from '../../contract/configuration/tool-import.ts'
import { isFrozen } from '../../gate/freeze.ts'
import { judgeParameters } from '../../json-schema/judge-parameters.ts'
import type { Context } from '../core/context.ts'
import { actuatorOf, readTenantTools, type TenantTools } from './tenant-tools.ts'
import { isSafe } from './tool-proposal.ts'

export interface TestCall {
  tenant_id: string
  system: string
  test: ToolTest
  author: Author
}

export type Hindrance = Pick<ToolTested, 'sent' | 'problems'>

export interface JudgedTest {
  call: TestCall
  test_id: string
  actuator: RegisteredActuator
  planned: ReturnType<typeof plannedCall> & { tool_schema_hash: string | null }
  request: PlannedRequest
  request_hash: string
  /** Null if the call may be made. */
  hindrance: Hindrance | null
}

/** Renders the request of an operation and judges if it may be called. Throws `tool_not_found`. */
export async function judgeTest(context: Context, call: TestCall, test_id: string): Promise<JudgedTest> {
  const { tenant_id, system, test } = call
  const tools = await readTenantTools(context, tenant_id)
  const actuator = actuatorOf(tools.documents, system)
  if (!actuator || !isRegistered(actuator, test.operation)) {
    const message = `no actuator has an operation ${test.operation} of ${system}`
    throw new ServiceError('tool_not_found', message)
  }
  const entry = entryOf(tools, call)
  const planned = { ...plannedCall(call, test_id), tool_schema_hash: entry?.tool_schema_hash ?? null }
  const request = planRequest(actuator, planned)
  const request_hash = prefixedHex(sha256(canonicalJson(request as unknown as JsonValue)))
  const hindrance = hindranceOf(tools, call, { actuator, entry })
  return { call, test_id, actuator, planned, request, request_hash, hindrance }
}

export function notCalled({ request }: JudgedTest, hindrance: Hindrance): ToolTested {
  return { test_id: null, request, verdict: null, answer: null, ...hindrance }
}

export function frozenSubject({ system, test }: TestCall) {
  return { system, operation: test.operation, key_id: null }
}

function entryOf({ documents }: TenantTools, { system, test }: TestCall): CatalogOperation | null {
  const operations = documents.catalog?.operations ?? []
  return operations.find(entry => entry.system === system && entry.operation === test.operation) ?? null
}

function hindranceOf(
  tools: TenantTools,
  call: TestCall,
  { actuator, entry }: { actuator: RegisteredActuator; entry: CatalogOperation | null },
): Hindrance | null {
  const { test } = call
  const violations = entry && judgeParameters(entry.parameter_schema, test.parameters)
  const problems: Issue[] = (violations ?? []).map(({ place, expected }) => ({
    path: place,
    code: 'outside_schema',
    message: expected,
  }))
  if (problems.length > 0) return { sent: 'outside_schema', problems }
  const { freezes, pauses } = tools.record
  if (isFrozen([...freezes, ...pauses], frozenSubject(call))) return { sent: 'frozen', problems }
  return isSafe(entry) || test.confirm || kindOf(actuator).simulated
    ? null
    : { sent: 'not_confirmed', problems }
}

function plannedCall({ tenant_id, system, test }: TestCall, test_id: string) {
  const { operation, parameters } = test
  return {
    tenant_id,
    action_id: test_id,
    idempotency_key: test_id,
    target_system: system,
    operation,
    parameters,
  }
}

import type { ExportedAudit } from '../audit/independent-audit.ts'
import type { LedgerParameters } from '../fixtures/ledger-actuator.ts'
import { plantCredentials } from '../service/plant-credentials.ts'

/** An answer of the API and how long it took, in milliseconds. */
export interface Answer<Body> {
  status: number
  body: Body
  ms: number
}

export interface Keys {
  admin: string
  agent: string
  approver: string
}

/** The part of a proposal in which tests differ; the rest is the same for all. */
export interface Asked {
  proposal_id: string
  system: string
  operation?: string
  parameters?: LedgerParameters | Record<string, unknown>
  risk?: 'low' | 'medium' | 'high'
}

export interface Verdict {
  action_id: string
  action_status: string
  decision: string
  policy: { revision: number }
  code?: string
}

export interface Trace {
  action_id: string
  status: string
  audit_root: string
  events: {
    kind: string
    at: string
    principal: { id: string; kind: string }
    body: Record<string, unknown>
  }[]
}

/** Calls of one API process with the keys of the test's tenant. */
export function createClient(url: string, tenant: string, keys: Keys) {
  const agent = { authorization: `Bearer ${keys.agent}` }
  const approver = { authorization: `Bearer ${keys.approver}` }
  const admin = { 'x-service-admin-key': keys.admin }
  const decide = (verb: 'approve' | 'reject', id: string) =>
    call<{ action_status: string }>(url, `/v1/actions/${id}/${verb}`, {
      method: 'POST',
      headers: { ...approver, prefer: 'wait=0' },
      body: { note: `${verb} it` },
    })
  return {
    submit: (asked: Asked, headers: Record<string, string> = {}) =>
      call<Verdict>(url, '/v1/actions', {
        method: 'POST',
        headers: { ...agent, ...headers },
        body: proposal(asked),
      }),
    approve: (id: string) => decide('approve', id),
    reject: (id: string) => decide('reject', id),
    trace: (id: string) => call<Trace>(url, `/v1/actions/${id}`, { headers: agent }),
    list: () => call<{ actions: object[] }>(url, '/v1/actions', { headers: agent }),
    exportAudit: (id: string) =>
      call<ExportedAudit>(url, `/v1/actions/${id}/audit-export`, { headers: agent }),
    ready: () => call<{ status: string }>(url, '/v1/ready', {}),
    mintKey: (scope: 'agent' | 'approver', name = `${scope} of the test`) =>
      call<{ api_key: string; key: { key_id: string } }>(url, `/v1/tenants/${tenant}/api-keys`, {
        method: 'POST',
        headers: admin,
        body: { name, scope },
      }),
    revokeKey: (keyId: string) =>
      call<unknown>(url, `/v1/tenants/${tenant}/api-keys/${keyId}/revoke`, {
        method: 'POST',
        headers: admin,
      }),
    replacePolicy: (policy: object) =>
      call<{ revision: number }>(url, `/v1/tenants/${tenant}/policy`, {
        method: 'PUT',
        headers: admin,
        body: policy,
      }),
  }
}
export type Client = ReturnType<typeof createClient>

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: object
}

async function call<Body>(url: string, path: string, { method, headers, body }: Call): Promise<Answer<Body>> {
  const begun = performance.now()
  plantCredentials(headers ?? {}, body)
  const response = await fetch(url + path, {
    method: method ?? 'GET',
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answered = (await response.json()) as Body
  plantCredentials({}, answered)
  return { status: response.status, body: answered, ms: performance.now() - begun }
}

function proposal({
  proposal_id,
  system,
  operation = 'write',
  parameters = {},
  risk = 'low',
}: Asked): object {
  return {
    proposal_id,
    actor: { agent_id: 'agent-under-test', run_id: 'run-1' },
    summary: `Ask ${system} to ${operation}`,
    action: { target_system: system, operation, parameters },
    risk: { level: risk },
  }
}

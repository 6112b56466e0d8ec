import type { Invocation } from '../../shared/actuator/actuator.ts'
import { createEgressGuard } from '../../shared/actuator/egress/egress-guard.ts'
import type { Surroundings } from '../../shared/actuator/surroundings.ts'

/** What actuators of a worker have around them: nothing, unless given; 127.0.0.1 may be called. */
export function surroundings(given: Partial<Surroundings> = {}): Surroundings {
  return {
    modules: [],
    secrets: new Map(),
    egress: createEgressGuard(['127.0.0.1', 'localhost']),
    mcpServers: new Map(),
    ...given,
  }
}

/** A call as a worker makes it. */
export function invocationOf(given: Partial<Invocation> = {}): Invocation {
  return {
    tenant_id: 'acme',
    action_id: 'act_1',
    idempotency_key: 'key-1',
    attempt: 1,
    target_system: 'crm',
    operation: 'read',
    tool_schema_hash: null,
    not_after: '2026-11-21T00:00:30.000Z',
    parameters: {},
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    signal: new AbortController().signal,
    isLate: () => false,
    ...given,
  }
}

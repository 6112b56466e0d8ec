import type { KeyPrincipal } from '../../contract/action/verdict.ts'

/** An authenticated agent that calls a tool; `now` is the database's clock. */
export interface Caller {
  principal: KeyPrincipal & { tenant_id: string }
  now: string
  traceparent: string
}

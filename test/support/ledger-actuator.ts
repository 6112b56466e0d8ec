import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { z } from 'zod'
import type { Actuator, Invocation } from '../../shared/actuator/actuator.ts'
import type { Idempotency, Outcome } from '../../shared/contract/actuator.ts'
import { connect } from '../../shared/store/location.ts'
import { type LedgerCall, recordCall } from './ledger-actuator-calls.ts'

/**
 * Actuators for `worker --actuators` that do what the proposal's parameters say, and write every call into the ledger
 * named by LEDGER_FILE before anything else. What they "perform" is that line: it stands as soon as it is synced,
 * whatever becomes of the worker. DATABASE_URL is where they look whether the attempt was written ahead.
 */

/** The downstream honours the key: only the first line of a key that performs is an effect. */
export const ledgerKeyed = ledgerActuator('ledger_keyed', 'key_honoured')

/** Every line that performs is an effect. */
export const ledgerPlain = ledgerActuator('ledger_plain', 'none')

/** Looks up what its calls did, and dies of that where LOOKUP_KILLS says so. */
export const ledgerLooked: Actuator = {
  ...ledgerActuator('ledger_looked', 'none'),
  async lookup() {
    if (process.env.LOOKUP_KILLS === 'true') process.kill(process.pid, 'SIGKILL')
    return { found: 'absent' }
  },
}

/** What a call does. `fail` and `retry` perform nothing; the others perform first and then do as they are called. */
export const ledgerParametersSchema = z.strictObject({
  behave: z.enum(['ok', 'fail', 'retry', 'throw', 'nonsense', 'hang']).default('ok'),
  /** How many attempts behave so; later ones answer ok. */
  attempts: z.int().default(Number.MAX_SAFE_INTEGER),
  /** How long it takes, in milliseconds. */
  delay_ms: z.int().default(0),
  /** It lasts until the test has released this name. */
  until: z.string().optional(),
})
export type LedgerParameters = z.input<typeof ledgerParametersSchema>

const releaseLookMs = 5

/** The file whose existence releases a name. */
export function releaseFile(ledgerFile: string, name: string): string {
  return `${ledgerFile}.released-${name}`
}

function ledgerActuator(name: string, idempotency: Idempotency): Actuator {
  return { name, idempotency, invoke: invocation => call(name, invocation) }
}

async function call(actuator: string, invocation: Invocation): Promise<Outcome> {
  const { attempt, signal } = invocation
  const { behave, attempts, delay_ms, until } = ledgerParametersSchema.parse(invocation.parameters)
  const behaviour = attempt > attempts ? 'ok' : behave
  const performs = behaviour !== 'fail' && behaviour !== 'retry'
  await recordCall(ledgerFile(), {
    actuator,
    action_id: invocation.action_id,
    key: invocation.idempotency_key,
    attempt,
    performs,
    written_ahead: await isWrittenAhead(invocation),
    pid: process.pid,
    at: new Date().toISOString(),
  })
  await delay(delay_ms, undefined, { signal })
  while (until !== undefined && !existsSync(releaseFile(ledgerFile(), until))) {
    await delay(releaseLookMs, undefined, { signal })
  }
  return answer(behaviour, invocation)
}

async function answer(
  behaviour: z.output<typeof ledgerParametersSchema>['behave'],
  invocation: Invocation,
): Promise<Outcome> {
  switch (behaviour) {
    case 'ok':
      return { class: 'ok', detail: { attempt: invocation.attempt } }
    case 'fail':
      return { class: 'failed', code: 'ledger_refused', message: 'nothing was done' }
    case 'retry':
      return { class: 'retry', code: 'ledger_busy', message: 'nothing was done, come back later' }
    case 'throw':
      throw new Error('the connection broke after the request had left')
    case 'nonsense':
      return 'done' as unknown as Outcome
    case 'hang':
      if (!invocation.signal.aborted) await once(invocation.signal, 'abort')
      throw new Error('it gave up waiting')
  }
}

let database: Sql | null = null

/** Whether the attempt can be seen from a connection of its own: whether it was committed before this call. */
async function isWrittenAhead(invocation: Invocation): Promise<LedgerCall['written_ahead']> {
  database ??= connect({ url: process.env.DATABASE_URL ?? '' }, {}, 2)
  const { action_id, attempt, idempotency_key } = invocation
  const [row] = await database<{ found: boolean }[]>`
    select exists (
      select from action_gate.action_events e join action_gate.event_payloads p using (action_id, sequence)
      where e.action_id = ${action_id} and e.kind = 'execution_attempt'
        and convert_from(p.payload, 'UTF8')::jsonb
          @> ${JSON.stringify({ attempt, idempotency_key })}::text::jsonb
    ) as found`
  return row?.found ?? false
}

function ledgerFile(): string {
  const file = process.env.LEDGER_FILE
  if (!file) throw new Error('LEDGER_FILE is not set')
  return file
}

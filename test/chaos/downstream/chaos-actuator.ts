import { writeSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Actuator, Invocation } from '../../../shared/actuator/actuator.ts'
import type { Finding, Idempotency, Outcome } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { ChaosParameters } from './chaos-parameters.ts'
import { type DownstreamCall, scripts } from './downstream-call.ts'

/**
 * Actuators for `worker --actuators` that make one request over a fresh connection to the downstream at DOWNSTREAM_URL,
 * and judge it by specification.md#outcome-classes: only a connection that did not come about proves that nothing was sent, and
 * only answers that are listed prove that nothing was done.
 */

/** The downstream decides within this time after `not_after` at the latest that a call is late. */
const absenceProvesAfterMs = 500

/** A worker that a job kills says so before: whoever supervises it knows that nothing else did. */
export const killedByJob = 'killed by its job'

/** The operation whose request the actuator cannot name: code of an actuator that throws where nobody expects it. */
export const brokenOperation = 'broken'

/** The downstream honours the key. It is repeated for a short time only, so that look-ups have their turn as well. */
export const chaosKeyed: Actuator = {
  ...chaosActuator('chaos_keyed', 'key_honoured', '/keyed'),
  key_retention_ms: 15_000,
  requestOf(operation) {
    if (operation === brokenOperation) throw new Error('the actuator has a defect')
    return { operation }
  },
}

/** Every call that gets through is an effect. */
export const chaosPlain: Actuator = chaosActuator('chaos_plain', 'none', '/plain')

function chaosActuator(name: string, idempotency: Idempotency, path: string): Actuator {
  return {
    name,
    idempotency,
    absence_proves_after_ms: absenceProvesAfterMs,
    invoke: invocation => invoke(path, invocation),
    lookup: lookUp,
  }
}

async function invoke(path: string, invocation: Invocation): Promise<Outcome> {
  const { signal } = invocation
  const script = scriptOf(invocation)
  if (script === 'throw') throw new Error('the actuator throws')
  if (script === 'kill') killWorker()
  const answered = await exchange({ method: 'POST', path, body: callOf(path, invocation), signal })
  if (answered.kind === 'not_sent')
    return { class: 'retry', code: 'not_sent', message: 'there was no connection to send it over' }
  const { status, body } = answered
  if (status === 200 && isHappened(body)) return { class: 'ok', detail: { answer: body.answer } }
  if (status === 422) return { class: 'failed', code: 'refused', message: 'the downstream refused it' }
  if (status === 503) return { class: 'retry', code: 'busy', message: 'the downstream did nothing' }
  if (status === 410) return { class: 'retry', code: 'late', message: 'it came too late and was not done' }
  return { class: 'unknown', code: 'unlisted_answer', message: `status ${status}` }
}

async function lookUp({ idempotency_key, parameters, signal }: Invocation): Promise<Finding> {
  if (parameters.mute === true)
    return { found: 'unclear', code: 'mute', message: 'the downstream does not tell' }
  const path = `/lookup?key=${encodeURIComponent(idempotency_key)}`
  const answered = await exchange({ method: 'GET', path, body: null, signal })
  const found = answered.kind === 'answer' ? answered.body.found : undefined
  if (found === 'executed') return { found, detail: { looked_up: true } }
  if (found === 'failed') return { found, code: 'refused', message: 'the downstream refused it' }
  if (found === 'absent') return { found }
  return { found: 'unclear', code: 'no_answer', message: 'the downstream could not be asked' }
}

function scriptOf({ parameters, attempt }: Invocation): string | undefined {
  const { scripts: asked } = parameters as unknown as ChaosParameters
  return asked[Math.min(attempt, asked.length) - 1]
}

/** At once and without any chance to tidy up; what it says is written before. */
function killWorker(): void {
  writeSync(2, `${JSON.stringify({ msg: killedByJob })}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function callOf(path: string, invocation: Invocation): DownstreamCall {
  const { idempotency_key, action_id, tenant_id, attempt, not_after, parameters } = invocation
  const { before_ms, after_ms } = parameters as unknown as ChaosParameters
  const script = scripts.find(known => known === scriptOf(invocation))
  if (script === undefined) throw new Error(`there is no script ${scriptOf(invocation)}`)
  const sent = { action_id, tenant_id, attempt, not_after, script, before_ms, after_ms }
  return { key: idempotency_key, request: `POST ${path}`, parameters, ...sent }
}

function isHappened(body: Record<string, unknown>): body is { answer: 'done' | 'replayed' } {
  return body.answer === 'done' || body.answer === 'replayed'
}

interface Exchange {
  method: string
  path: string
  body: object | null
  signal: AbortSignal
}

type Answered = { kind: 'not_sent' } | { kind: 'answer'; status: number; body: Record<string, unknown> }

/** Rejects when the answer did not come whole: then nobody knows. */
function exchange({ method, path, body, signal }: Exchange): Promise<Answered> {
  const agent = new Agent({ keepAlive: false })
  return new Promise((resolve, reject) => {
    let connected = false
    const asking = request(new URL(path, process.env.DOWNSTREAM_URL), { method, agent, signal })
    asking.once('socket', socket => {
      socket.once('connect', () => {
        connected = true
      })
    })
    asking.once('error', error => {
      if (connected) reject(error)
      else resolve({ kind: 'not_sent' })
    })
    asking.once('response', response => {
      read(response).then(
        read => resolve({ kind: 'answer', status: response.statusCode ?? 0, body: read }),
        reject,
      )
    })
    asking.end(body === null ? undefined : JSON.stringify(body))
  })
}

async function read(response: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
}

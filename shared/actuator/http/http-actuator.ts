import { operationOf } from '../../contract/actuator-kind/http-kind.ts'
import { nameOfSecret } from '../../contract/base/http-auth.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Finding, Idempotency, Outcome } from '../../contract/configuration/actuator-schema.ts'
import { effectiveAnswers } from '../../contract/configuration/answer-presets.ts'
import type { Dispatched } from '../../contract/configuration/completion.ts'
import type {
  HttpLookup,
  HttpOperation,
  HttpSettings,
} from '../../contract/configuration/http-actuator-schema.ts'
import { version } from '../../runtime/version.ts'
import type { Accepted, Actuator, CalledBack, Invocation } from '../actuator.ts'
import { type Exchange, exchange, type HttpRequest } from '../exchange.ts'
import { hideIn, type Redact, reasonOf } from '../recorded-text.ts'
import type { ActuatorDependencies } from '../surroundings.ts'
import { encodeBody } from './encode-body.ts'
import { bodyOf, headersOf, headerText, keyHeaderOf, type Template, urlOf } from './fill-template.ts'
import { placeToAsk, readAccepted, readCalledBack, readPolled } from './follow-operation.ts'
import { type Reading, readFinding, readOutcome } from './read-answer.ts'
import { CannotRender } from './render-template.ts'
import { authenticate, recentTokens, redactingOf, unhurried } from './request-proof.ts'
import { NoToken } from './request-token.ts'

interface Http {
  name: string
  settings: HttpSettings
  around: ActuatorDependencies
  redact: Redact
}

const timeoutPresetMs = limits.actuator_timeout_ms_preset
const responsePresetBytes = 65_536
const timeoutOf = ({ timeout_ms }: HttpSettings): number => timeout_ms ?? timeoutPresetMs

/**
 * Makes an actuator that sends one HTTP request per operation through the egress guard
 * (specification.md#actuators). Requests that may be repeated reuse the registration's connections
 * (actuators.md#connections). Every other request opens its own connection.
 */
export function httpActuator(name: string, settings: HttpSettings, around: ActuatorDependencies): Actuator {
  const http = { name, settings, around, redact: redactingOf(settings, around.secrets) }
  const { lookup } = settings
  return {
    name,
    idempotency: settings.idempotency ?? 'none',
    idempotencyOf: operation =>
      isRead(operationOf(settings, operation))
        ? 'key_honoured'
        : idempotencyOf(settings, operationOf(settings, operation)),
    changesNothing: operation => isRead(operationOf(settings, operation)),
    timeout_ms: timeoutOf(settings),
    ...(settings.key_retention_ms === undefined ? {} : { key_retention_ms: settings.key_retention_ms }),
    ...(settings.absence_proves_after_ms === undefined
      ? {}
      : { absence_proves_after_ms: settings.absence_proves_after_ms }),
    requestOf: operation => requestOf(settings, operation),
    invoke: invocation => invoke(http, invocation),
    poll: (dispatched, invocation) => poll(http, dispatched, invocation),
    calledBack: called => calledBack(http, called),
    ...(lookup ? { lookup: attempt => lookUp(http, lookup, attempt) } : {}),
  }
}

/** Returns all that is sent except credentials, because a replaced credential does not change the request. */
function requestOf(settings: HttpSettings, name: string): JsonValue {
  const { base_url, headers = {}, not_after_header = null } = settings
  const operation = operationOf(settings, name)
  return {
    base_url,
    headers,
    key_header: keyHeaderOf(settings),
    not_after_header,
    method: operation?.method ?? null,
    path: operation?.path ?? null,
    query: operation?.query ?? {},
    own_headers: operation?.headers ?? {},
    body: operation?.body ?? null,
    ...(operation?.content === undefined ? {} : { content: operation.content }),
    ...(operation?.arrays === undefined ? {} : { arrays: operation.arrays }),
  }
}

async function invoke(http: Http, invocation: Invocation): Promise<Outcome | Accepted> {
  const operation = operationOf(http.settings, invocation.operation)
  if (!operation) {
    const message = `no request is registered for ${invocation.operation}`
    return { class: 'failed', code: 'operation_not_registered', message }
  }
  const repeatable = isRead(operation) || idempotencyOf(http.settings, operation) === 'key_honoured'
  const sending = { fill: filled(http, operation, invocation), repeatable, cut: isRead(operation) }
  const sent = await send(http, sending, invocation)
  if (sent.kind === 'not_made') return { class: sent.passes ? 'retry' : 'failed', ...sent.problem }
  const { exchanged, url, redact } = sent
  const { completion } = operation
  const accepted =
    exchanged.kind === 'answered'
      ? readAccepted({ answer: exchanged.answer, url }, { completion, auth: http.settings.auth }, redact)
      : null
  return accepted ?? hideIn(readOutcome(exchanged, readingOf(http.settings, operation), redact), redact)
}

async function poll(http: Http, dispatched: Dispatched, invocation: Invocation): Promise<Outcome> {
  const { settings } = http
  const completion = operationOf(settings, invocation.operation)?.completion
  const url = placeToAsk(dispatched, settings)
  if (!completion?.poll || !url) return changed
  const ask = filled(http, { method: 'GET', path: '/' }, invocation)
  const sent = await send(http, { fill: () => ({ ...ask(), url }), repeatable: true }, invocation)
  if (sent.kind === 'not_made') return { class: 'busy', ...sent.problem }
  return hideIn(readPolled(sent.exchanged, completion, sent.redact), sent.redact)
}

const changed: Outcome = {
  class: 'busy',
  code: 'actuator_changed',
  message: 'its operation was accepted as it was registered before',
}

/** Reads a callback and hides what its attempt may have sent: secrets, access tokens and the callback proof. */
function calledBack({ settings, redact, around }: Http, called: CalledBack): Outcome {
  const { operation, body, tenant_id } = called
  const completion = operationOf(settings, operation)?.completion
  const tokens = recentTokens(settings.auth, { ...around, tenant_id })
  const hiding = redact.and([...tokens, ...proofOf(called)])
  const said = completion && readCalledBack(body, completion, hiding)
  return said ? hideIn(said, hiding) : changed
}

function readingOf(settings: HttpSettings, operation: HttpOperation): Reading {
  const idempotency = idempotencyOf(settings, operation)
  return { ...effectiveAnswers(settings, operation), method: operation.method, own: operation, idempotency }
}

function isRead(operation: HttpOperation | undefined): boolean {
  return operation?.method === 'GET' && operation.idempotency !== 'none'
}

/** Prefers the operation's own setting, so that one operation can differ without changing the others. */
function idempotencyOf(settings: HttpSettings, operation: HttpOperation | undefined): Idempotency {
  return operation?.idempotency ?? settings.idempotency ?? 'none'
}

async function lookUp(http: Http, lookup: HttpLookup, invocation: Invocation): Promise<Finding> {
  const sent = await send(http, { fill: filled(http, lookup, invocation), repeatable: true }, invocation)
  if (sent.kind === 'not_made') return { found: 'unclear', ...sent.problem }
  return hideIn(readFinding(sent.exchanged, lookup, sent.redact), sent.redact)
}

/** The result of a request, or the reason why none was sent. `passes` is true if a retry may succeed. */
type Sent =
  | { kind: 'made'; exchanged: Exchange; url: URL; redact: Redact }
  | { kind: 'not_made'; passes: boolean; problem: { code: string; message: string } }

const filled =
  ({ settings, around }: Http, template: Template, invocation: Invocation) =>
  (): HttpRequest =>
    fillRequest(settings, template, { invocation, secrets: around.secrets })

/** A request to send. It is `repeatable` if sending it twice has no second effect. */
interface Sending {
  fill(): HttpRequest
  repeatable: boolean
  /** True if an answer with too large a body still counts, without that body. */
  cut?: boolean
}

async function send(
  http: Http,
  { fill, repeatable, cut = false }: Sending,
  invocation: Invocation,
): Promise<Sent> {
  const { name, settings, around } = http
  const bounds = {
    guard: around.egress,
    timeout_ms: timeoutOf(settings),
    max_response_bytes: settings.max_response_bytes ?? responsePresetBytes,
  }
  const token_ms = tokenTimeoutMs(http, invocation)
  const notMade = (passes: boolean, { code, message }: { code: string; message: string }): Sent => ({
    kind: 'not_made',
    passes,
    problem: { code, message },
  })
  try {
    const { call, certificate, redact, refused } = await authenticate(fill(), {
      auth: settings.auth,
      tenant_id: invocation.tenant_id,
      id: invocation.idempotency_key,
      secrets: around.secrets,
      tokens: around.tokens,
      redact: http.redact,
      token_ms,
      send: asked => exchange(asked, { ...bounds, timeout_ms: token_ms, signal: unhurried }),
    })
    const { signal, isLate } = invocation
    const exchanged = await exchange(call, {
      ...bounds,
      signal,
      isLate,
      ...(certificate ? { certificate } : {}),
      ...(cut ? { body: 'cut' as const } : {}),
      ...(repeatable ? { keptFor: [invocation.tenant_id, name] } : {}),
    })
    if (exchanged.kind === 'answered' && exchanged.answer.status === 401) refused()
    const hiding = redact.and(proofOf(invocation))
    around.observe?.(exchanged, hiding)
    return { kind: 'made', exchanged, url: call.url, redact: hiding }
  } catch (error) {
    if (error instanceof NoToken) return notMade(error.code !== 'egress_refused', error)
    if (error instanceof CannotRender) return notMade(false, error)
    throw new Error(reasonOf(error, http.redact.text))
  }
}

/** Returns the proof in the callback URL. It is hidden, because a reader could call back as the downstream. */
function proofOf({ callback_url: url }: Pick<Invocation, 'callback_url'>): string[] {
  return url === null ? [] : [url.slice(url.lastIndexOf('.') + 1)]
}

/** The share of a call's time for fetching its token, so that time remains to report that no token came. */
const tokenShare = 0.5

function tokenTimeoutMs({ settings }: Http, { timeLeftMs }: Invocation): number {
  return Math.max(1, Math.min(timeoutOf(settings), timeLeftMs() * tokenShare))
}

/**
 * Fills in the request of an attempt; `auth` is added later. A property test checks that no parameter changes
 * the structure of the request.
 */
export function fillRequest(
  settings: HttpSettings,
  template: Template,
  { invocation, secrets }: { invocation: Invocation; secrets: ReadonlyMap<string, string> },
): HttpRequest {
  const value = bodyOf(template, invocation)
  const body = value === undefined ? null : encodeBody(value, template)
  const type = body === null ? {} : { 'content-type': body.type }
  return {
    method: template.method,
    url: urlOf(settings.base_url, template, invocation),
    headers: {
      traceparent: invocation.traceparent,
      'user-agent': `action-gate/${version}`,
      accept: 'application/json, */*;q=0.5',
      ...type,
      ...headersOf<string>(settings, template, {
        text: headerText(invocation),
        secret: reference => secrets.get(nameOfSecret(reference)) ?? '',
      }),
      ...(body?.fixed ? type : {}),
      ...(settings.not_after_header
        ? { [settings.not_after_header.toLowerCase()]: invocation.not_after }
        : {}),
      [keyHeaderOf(settings)]: invocation.idempotency_key,
    },
    body: body?.text ?? null,
  }
}

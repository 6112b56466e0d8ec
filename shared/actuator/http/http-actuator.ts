import { canonicalJson } from '../../canon/canonical-json.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Finding, Outcome } from '../../contract/configuration/actuator.ts'
import { effectiveAnswers } from '../../contract/configuration/answer-presets.ts'
import type { HttpLookup, HttpOperation, HttpSettings } from '../../contract/configuration/http-actuator.ts'
import type { Actuator, Invocation } from '../actuator.ts'
import { type Exchange, exchange, type HttpRequest } from '../exchange.ts'
import { type Redact, redacting } from '../redact.ts'
import type { ActuatorDependencies } from '../surroundings.ts'
import {
  bodyOf,
  headersOf,
  headerText,
  keyHeaderOf,
  operationOf,
  type Template,
  urlOf,
} from './fill-template.ts'
import { type Reading, readFinding, readOutcome } from './read-answer.ts'
import { CannotRender } from './render-template.ts'
import { signRequest } from './sign-request.ts'

interface Http {
  settings: HttpSettings
  around: ActuatorDependencies
  redact: Redact
}

const timeoutPresetMs = limits.actuator_timeout_ms_preset
const responsePresetBytes = 65_536
const timeoutOf = ({ timeout_ms }: HttpSettings): number => timeout_ms ?? timeoutPresetMs

/** One HTTP request for each operation (specification.md#actuators), on a connection of its own, past the egress guard. */
export function httpActuator(name: string, settings: HttpSettings, around: ActuatorDependencies): Actuator {
  const http = { settings, around, redact: redacting(settings, around.secrets) }
  const { lookup } = settings
  return {
    name,
    idempotency: settings.idempotency ?? 'none',
    timeout_ms: timeoutOf(settings),
    ...(settings.key_retention_ms === undefined ? {} : { key_retention_ms: settings.key_retention_ms }),
    ...(settings.absence_proves_after_ms === undefined
      ? {}
      : { absence_proves_after_ms: settings.absence_proves_after_ms }),
    requestOf: operation => requestOf(settings, operation),
    invoke: invocation => invoke(http, invocation),
    ...(lookup ? { lookup: inquiry => lookUp(http, lookup, inquiry) } : {}),
  }
}

/** All that is sent but what proves who sends it, which changes with no effect downstream. */
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
  }
}

async function invoke(http: Http, invocation: Invocation): Promise<Outcome> {
  const operation = operationOf(http.settings, invocation.operation)
  if (!operation) {
    const message = `no request is registered for ${invocation.operation}`
    return { class: 'failed', code: 'operation_not_registered', message }
  }
  const call = prepare(http, operation, invocation)
  if ('code' in call) return { class: 'failed', ...call }
  return readOutcome(await send(http, call, invocation), readingOf(http.settings, operation), http.redact)
}

function readingOf(settings: HttpSettings, operation: HttpOperation): Reading {
  const { idempotency = 'none' } = settings
  return { ...effectiveAnswers(settings, operation), method: operation.method, own: operation, idempotency }
}

async function lookUp(http: Http, lookup: HttpLookup, inquiry: Invocation): Promise<Finding> {
  const call = prepare(http, lookup, inquiry)
  if ('code' in call) return { found: 'unclear', ...call }
  return readFinding(await send(http, call, inquiry), lookup, http.redact)
}

function send(
  { settings, around }: Http,
  call: HttpRequest,
  { signal, isLate }: Invocation,
): Promise<Exchange> {
  return exchange(call, {
    guard: around.egress,
    timeout_ms: timeoutOf(settings),
    max_response_bytes: settings.max_response_bytes ?? responsePresetBytes,
    signal,
    isLate,
  })
}

function prepare(
  http: Http,
  template: Template,
  invocation: Invocation,
): HttpRequest | { code: string; message: string } {
  try {
    return fill(http, template, invocation)
  } catch (error) {
    if (!(error instanceof CannotRender)) throw error
    return { code: error.code, message: error.message }
  }
}

function fill({ settings, around }: Http, template: Template, invocation: Invocation): HttpRequest {
  const value = bodyOf(template, invocation)
  const body = value === undefined ? null : canonicalJson(value)
  const { idempotency_key: id } = invocation
  const { secrets } = around
  return {
    method: template.method,
    url: urlOf(settings.base_url, template, invocation),
    headers: {
      traceparent: invocation.traceparent,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...headersOf(settings, template, {
        text: headerText(invocation),
        secret: ({ env }) => secrets.get(env) ?? '',
      }),
      ...(settings.not_after_header
        ? { [settings.not_after_header.toLowerCase()]: invocation.not_after }
        : {}),
      ...signRequest(settings.auth, secrets, { id, body: body ?? '' }),
      [keyHeaderOf(settings)]: id,
    },
    body,
  }
}

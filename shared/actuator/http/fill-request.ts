import { nameOfSecret } from '../../contract/base/credentials.ts'
import type { HttpSettings } from '../../contract/configuration/http-actuator.ts'
import type { Invocation } from '../actuator.ts'
import type { HttpRequest } from '../exchange.ts'
import { encodeBody } from './encode-body.ts'
import { bodyOf, headersOf, headerText, keyHeaderOf, type Template, urlOf } from './fill-template.ts'

/** The request of an attempt, but for what proves who sends it. No parameter changes its form: a property test says so. */
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

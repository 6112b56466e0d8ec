import { canonicalJson } from '../../../../shared/canon/canonical-json.ts'
import type { PlannedRequest } from '../../../../shared/contract/action/planned-request.ts'
import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import { requestLine } from '../../lib/trace/request-line.ts'
import { ForeignText } from '../../ui/text.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'

/**
 * Shows the request exactly as sent, except for parts that change per attempt. Omits values in `told` that are
 * sent unchanged, because the page already shows them.
 */
export function PlannedRequestView({ request, told }: { request: PlannedRequest; told?: JsonValue }) {
  return (
    <div className="flex flex-col gap-3">
      <RequestLine request={request} />
      {'method' in request && <HttpParts request={request} told={told} />}
      {'tool' in request && (
        <>
          <Sent value={request.arguments} label="Arguments" told={told} />
          <ForeignJson value={request.server} label="Server" />
        </>
      )}
    </div>
  )
}

export function RequestLine({ request }: { request: PlannedRequest }) {
  const { words, target } = requestLine(request)
  return (
    <p className="break-words">
      {words}
      {target !== null && (
        <code className="ml-1 rounded bg-sunken px-1 font-mono text-[0.875em] break-all">
          <ForeignText text={target} />
        </code>
      )}
    </p>
  )
}

function Sent({
  value,
  label,
  told,
}: {
  value: JsonValue
  label: 'Arguments' | 'Body'
  told: JsonValue | undefined
}) {
  return told !== undefined && canonicalJson(told) === canonicalJson(value) ? (
    <p>{label}: exactly the values above, as JSON.</p>
  ) : (
    <ForeignJson value={value} label={label} />
  )
}

function HttpParts({
  request,
  told,
}: {
  request: Extract<PlannedRequest, { kind: 'http' }>
  told: JsonValue | undefined
}) {
  const { headers, auth, body, each_attempt } = request
  const about = { ...headers, ...(auth === null ? {} : { auth }) }
  return (
    <>
      {body === undefined ? (
        <p className="text-sm text-soft">It has no body.</p>
      ) : (
        <Sent value={body} label="Body" told={told} />
      )}
      {Object.keys(about).length > 0 && <ForeignJson value={about} label="Headers and credential" />}
      {each_attempt && (
        <p className="text-sm text-soft">
          Each attempt fills in its own time and address where it says{' '}
          <code className="font-mono">{'{not_after}'}</code> or{' '}
          <code className="font-mono">{'{callback_url}'}</code>.
        </p>
      )}
    </>
  )
}

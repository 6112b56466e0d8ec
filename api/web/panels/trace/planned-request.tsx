import type { PlannedRequest } from '../../../../shared/contract/action/planned-request.ts'
import { requestLine } from '../../lib/trace/request-line.ts'
import { ForeignText } from '../../ui/text.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'

/** What will be sent, byte for byte but for what each attempt has of its own. */
export function PlannedRequestView({ request }: { request: PlannedRequest }) {
  return (
    <div className="flex flex-col gap-3">
      <RequestLine request={request} />
      {request.kind === 'http' && <HttpParts request={request} />}
      {request.kind === 'mcp' && (
        <>
          <ForeignJson value={request.arguments} label="Arguments" />
          <ForeignJson value={request.server} label="Server" />
        </>
      )}
    </div>
  )
}

/** The request in one line. */
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

function HttpParts({ request }: { request: Extract<PlannedRequest, { kind: 'http' }> }) {
  const { headers, auth, body, each_attempt } = request
  const about = { ...headers, ...(auth === null ? {} : { auth }) }
  return (
    <>
      {body === undefined ? (
        <p className="text-sm text-soft">It has no body.</p>
      ) : (
        <ForeignJson value={body} label="Body" />
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

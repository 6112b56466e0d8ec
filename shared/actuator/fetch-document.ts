import type { EgressGuard } from './egress/egress-guard.ts'
import { exchange } from './exchange.ts'

export interface DocumentBounds {
  guard: EgressGuard
  timeout_ms: number
  max_response_bytes: number
  signal: AbortSignal
}

export interface FetchRefused {
  code: string
  message: string
}

/** Fetches a document once through the egress guard and follows no redirect. */
export async function fetchDocument(
  url: URL,
  bounds: DocumentBounds,
): Promise<{ bytes: Uint8Array<ArrayBuffer> } | FetchRefused> {
  const headers = { accept: 'application/json, application/yaml, text/yaml, text/plain, */*;q=0.1' }
  const exchanged = await exchange({ method: 'GET', url, headers, body: null }, bounds)
  if (exchanged.kind !== 'answered') return refused(exchanged, bounds)
  const { status, headers: answered, body } = exchanged.answer
  if (status >= 300 && status < 400) {
    const message = `${url.host} answers ${status}, which is not followed: give the address that it leads to`
    return { code: 'document_moved', message }
  }
  if (status !== 200) {
    const message = `${url.host} answers ${status}: fetch the document yourself and post its text`
    return { code: 'document_not_there', message }
  }
  if (answered['content-encoding'] !== undefined && answered['content-encoding'] !== 'identity') {
    const message = `${url.host} compresses what was asked for as it is: post the text of the document`
    return { code: 'document_compressed', message }
  }
  return { bytes: body }
}

function refused({ code, message }: { code: string; message: string }, bounds: DocumentBounds): FetchRefused {
  if (/maxResponseSize|UND_ERR_RES_EXCEEDED_MAX_SIZE|ResponseExceeded/i.test(message)) {
    const most = Math.floor(bounds.max_response_bytes / 1_048_576)
    return {
      code: 'document_too_large',
      message: `the document has more than ${most} MiB: leave out what is not needed`,
    }
  }
  const way =
    code === 'egress_refused'
      ? 'post the text of the document, or have whoever runs the service name the host in SERVICE_EGRESS_ALLOW'
      : 'post its text'
  return { code, message: `the document cannot be fetched (${message}): ${way}` }
}

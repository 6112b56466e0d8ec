import type { CustomFetch } from 'openid-client'

export class IssuerUnreachable extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause })
    this.name = 'IssuerUnreachable'
  }
}

/** A limit far above any real answer, since metadata and key sets have only a few kilobytes. */
const answerBytesMax = 262_144

/**
 * Fetches at most 262,144 bytes within `msMax` ms. It follows no redirect, because openid-client asks for none.
 */
export function boundedFetch(msMax: number): CustomFetch {
  return async (url, { method, headers, body, redirect }) => {
    const signal = AbortSignal.timeout(msMax)
    const asked = { method, headers, redirect, signal, ...(body == null ? {} : { body }) }
    const response = await reached(() => fetch(url, asked as RequestInit))
    if (response.status >= 500 || response.status === 429)
      throw new IssuerUnreachable(`the issuer answered ${response.status}`)
    const bytes = await reached(() => readBounded(response))
    const { status, statusText } = response
    return new Response(isWithoutBody(status) ? null : bytes, {
      status,
      statusText,
      headers: response.headers,
    })
  }
}

async function reached<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof IssuerUnreachable) throw error
    throw new IssuerUnreachable('the issuer did not answer', error)
  }
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > answerBytesMax)
      throw new IssuerUnreachable(`the issuer answered more than ${answerBytesMax} bytes`)
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

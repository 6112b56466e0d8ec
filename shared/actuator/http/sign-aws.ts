import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import type { HttpRequest } from '../exchange.ts'

export interface AwsSigning {
  access_key_id: string
  secret_access_key: string
  session_token?: string
  region: string
  service: string
}

/**
 * Signs a request with AWS Signature Version 4 over the bytes to be sent. The library is imported only when a
 * request is signed, so that other workers do not hold it in memory.
 */
export async function signAws(call: HttpRequest, signing: AwsSigning, at: Date): Promise<HttpRequest> {
  const { SignatureV4 } = await import('@smithy/signature-v4')
  const { region, service, access_key_id, secret_access_key, session_token } = signing
  const isStore = service === 's3'
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token === undefined ? {} : { sessionToken: session_token }),
    },
    region,
    service,
    sha256: Sha256,
    // Only S3 requires the body's hash in a header and a path that is escaped once instead of twice.
    applyChecksum: isStore,
    uriEscapePath: !isStore,
  })
  const url = withoutPlus(call.url)
  const signed = await signer.sign(
    {
      method: call.method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryOf(url),
      headers: { ...call.headers, host: url.host },
      ...(call.body === null ? {} : { body: call.body }),
    },
    { signingDate: at },
  )
  const { host: _sentByTheClient, ...headers } = signed.headers
  return { ...call, url, headers }
}

/** Writes spaces in the query as `%20`, because the signature covers them in that form. */
function withoutPlus(url: URL): URL {
  const whole = new URL(url)
  whole.search = url.search.replaceAll('+', '%20')
  return whole
}

function queryOf({ searchParams }: URL): Record<string, string[]> {
  const names = new Set(searchParams.keys())
  return Object.fromEntries([...names].map(name => [name, searchParams.getAll(name)]))
}

class Sha256 {
  readonly #secret: Uint8Array | string | null
  #hash: Hash | Hmac

  constructor(secret?: unknown) {
    this.#secret = typeof secret === 'string' || secret instanceof Uint8Array ? secret : null
    this.#hash = this.#begin()
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk)
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    this.#hash = this.#begin()
  }

  #begin(): Hash | Hmac {
    return this.#secret === null ? createHash('sha256') : createHmac('sha256', this.#secret)
  }
}

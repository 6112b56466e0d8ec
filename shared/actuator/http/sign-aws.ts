import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import type { HttpRequest } from '../exchange.ts'

/** Whose signature it is, and what for. */
export interface AwsSigning {
  access_key_id: string
  secret_access_key: string
  session_token?: string
  region: string
  service: string
}

/**
 * A request with the headers of AWS Signature Version 4, over its bytes as they will be sent. The library is loaded where
 * somebody signs: no other worker has it in memory.
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
    // S3 alone demands the hash of the body in a header, and a path that is escaped once.
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

/** A space in a query is `%20` in what is signed, so it is that in what is sent. */
function withoutPlus(url: URL): URL {
  const whole = new URL(url)
  whole.search = url.search.replaceAll('+', '%20')
  return whole
}

function queryOf({ searchParams }: URL): Record<string, string[]> {
  const names = new Set(searchParams.keys())
  return Object.fromEntries([...names].map(name => [name, searchParams.getAll(name)]))
}

/** The hash of Node in the form that the library asks for. */
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

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'

export type Coding = 'br' | 'gzip'

/** The coding that the client likes most, of those that a page or a document can have. */
export function codingFor(request: Request): Coding | null {
  const coding = request.acceptsEncodings('br', 'gzip', 'identity')
  return coding === 'br' || coding === 'gzip' ? coding : null
}

const compress: Readonly<Record<Coding, (bytes: Uint8Array) => Buffer>> = {
  br: bytes => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: bytes => gzipSync(bytes),
}

/** What was compressed stays for as long as the document does. */
const kept = new WeakMap<Uint8Array, Partial<Record<Coding, Buffer>>>()

/** A document in the coding that the client takes, and the headers that say so; a cache asks before it uses it again. */
export function compressed(request: Request, response: Response, document: unknown): unknown {
  response.setHeader('vary', 'accept-encoding')
  response.setHeader('cache-control', 'no-cache')
  const coding = codingFor(request)
  if (coding === null || !(document instanceof Uint8Array)) return document
  const codings = kept.get(document) ?? {}
  kept.set(document, codings)
  codings[coding] ??= compress[coding](document)
  response.setHeader('content-encoding', coding)
  return codings[coding]
}

import { brotliCompressSync, constants, crc32, deflateRawSync, gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'

export type Coding = 'br' | 'gzip'

export function codingFor(request: Request): Coding | null {
  const coding = request.acceptsEncodings('br', 'gzip', 'identity')
  return coding === 'br' || coding === 'gzip' ? coding : null
}

const compress: Readonly<Record<Coding, (bytes: Uint8Array) => Buffer>> = {
  br: bytes => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: bytes => gzipSync(bytes),
}

const kept = new WeakMap<Uint8Array, Partial<Record<Coding, Buffer>>>()

/** Compresses a document for the client and sets the headers, so that a cache revalidates it before reuse. */
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

interface SharedPart {
  before: string
  deflated: Buffer
  /** The checksum of the text before the part and of the part. It is kept because 2 MB take 0.5 ms. */
  sum: number
}

const sharedParts = new WeakMap<Uint8Array, SharedPart>()
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

/**
 * Builds one gzip member around a large part that many answers share. That part is compressed once and ends at a
 * byte, so the others join it unchanged (RFC 1951, 3.2.3). Several members would be simpler, but many clients read
 * only the first.
 */
export function gzipAround(before: string, shared: Uint8Array, after: string): Uint8Array<ArrayBuffer> {
  let part = sharedParts.get(shared)
  if (part?.before !== before) {
    const deflated = part?.deflated ?? deflateRawSync(shared, flushed)
    part = { before, deflated, sum: summed(shared, summed(before, 0)) }
    sharedParts.set(shared, part)
  }
  const end = Buffer.alloc(8)
  end.writeUInt32LE(summed(after, part.sum), 0)
  end.writeUInt32LE(Buffer.byteLength(before) + shared.length + Buffer.byteLength(after), 4)
  const first = deflateRawSync(before, flushed)
  return Buffer.concat([gzipHeader, first, part.deflated, deflateRawSync(after), end])
}

const flushed = { finishFlush: constants.Z_FULL_FLUSH }

/** Continues a checksum with a part. An empty part is skipped, because zlib's `crc32` would begin anew for it. */
function summed(part: string | Uint8Array, sum: number): number {
  return part.length === 0 ? sum : crc32(part, sum)
}

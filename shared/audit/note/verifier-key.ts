import { hex, sha256 } from '../../canon/digest.ts'
import { importPublicKey, type PublicKey } from '../../canon/ed25519.ts'
import { decodeBase64 } from '../../canon/spelling.ts'
import { ok, type Result, refused } from '../../result.ts'

/**
 * The algorithm of a key. An `ed25519` key signs a text; with a `cosignature` key a witness confirms that it saw a
 * checkpoint at a time.
 */
export type NoteAlgorithm = 'ed25519' | 'cosignature'

/** A name and its public key, which verifies signatures on notes (C2SP signed-note). */
export interface VerifierKey {
  name: string
  algorithm: NoteAlgorithm
  id: Buffer
  publicKey: PublicKey
}

export function verifierKey(
  name: string,
  publicKey: PublicKey,
  algorithm: NoteAlgorithm = 'ed25519',
): VerifierKey {
  if (!isKeyName(name)) throw new RangeError(`${JSON.stringify(name)} is no name for a key`)
  return { name, algorithm, id: keyId(name, publicKey, algorithm), publicKey }
}

/** Returns `SHA-256(name || 0x0A || algorithm || public key)[0:4]` (specification.md#audit-bytes). */
export function keyId(name: string, publicKey: PublicKey, algorithm: NoteAlgorithm = 'ed25519'): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), typedKey(publicKey, algorithm)])).subarray(0, 4)
}

/** Formats a key as one line, `name+hex(key id)+base64(algorithm || public key)`, which users pass on. */
export function formatVkey({ name, id, publicKey, algorithm }: VerifierKey): string {
  return `${name}+${hex(id)}+${typedKey(publicKey, algorithm).toString('base64')}`
}

export function parseVkey(text: string): Result<VerifierKey, string> {
  const [, name = '', id = '', base64 = ''] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text) ?? []
  if (!isKeyName(name)) return refused('it is not name+id+key')
  const typed = decodeBase64(base64)
  if (typed === null) return refused('the key is not in canonical base64')
  const algorithm = algorithms.get(typed[0] ?? 0)
  if (algorithm === undefined) return refused('the key is of a kind that is not known here')
  if (typed.length !== 33) return refused('the key has not 32 bytes')
  const publicKey = importPublicKey(typed.subarray(1))
  if (publicKey === null) return refused('the key is of small order: a signature under it proves nothing')
  const key = verifierKey(name, publicKey, algorithm)
  return hex(key.id) === id ? ok(key) : refused('the id is not that of the name and the key')
}

/**
 * Returns true if a note may use the name: it is not empty and has no spaces, control characters or plus signs.
 */
export function isKeyName(name: string): boolean {
  return /^[^\s\p{Cc}\p{Surrogate}+]+$/u.test(name)
}

const algorithmBytes: Record<NoteAlgorithm, number> = { ed25519: 1, cosignature: 4 }
const algorithms: ReadonlyMap<number, NoteAlgorithm> = new Map([
  [algorithmBytes.ed25519, 'ed25519'],
  [algorithmBytes.cosignature, 'cosignature'],
])

function typedKey(publicKey: PublicKey, algorithm: NoteAlgorithm): Buffer {
  return Buffer.concat([Uint8Array.of(algorithmBytes[algorithm]), publicKey.bytes])
}

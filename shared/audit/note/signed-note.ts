import { hex } from '../../canon/digest.ts'
import { type PrivateKey, type PublicKey, signEd25519, verifyEd25519 } from '../../canon/ed25519.ts'
import { decodeBase64 } from '../../canon/spelling.ts'
import { decodeUtf8 } from '../../canon/utf8.ts'
import { ok, type Result, refused } from '../../result.ts'
import { isKeyName, keyId, type VerifierKey } from './verifier-key.ts'

/** A note (C2SP signed-note): its text with the final newline, and its signature lines in order. */
export interface Note {
  text: string
  signatures: NoteSignature[]
}

export interface NoteSignature {
  name: string
  keyId: Buffer
  signature: Buffer
}

export interface NoteSigner {
  name: string
  privateKey: PrivateKey
}

export interface NoteRefusal {
  code: 'malformed' | 'bad_signature' | 'unverified'
  message: string
}

/** A note that at least one trusted key signed. Every signature that names a trusted key is valid. */
export interface OpenedNote {
  text: string
  /**
   * Each trusted key that signed, in the order of the lines. `at` is the time of a witness in Unix seconds; null
   * for other keys.
   */
  verified: { key: VerifierKey; at: number | null }[]
  unverified: string[]
}

/** Checks the signatures of a note with the trusted keys. Do not trust the text before this check. */
export function openNote(
  note: string | Uint8Array,
  trusted: readonly VerifierKey[],
): Result<OpenedNote, NoteRefusal> {
  const parsed = parseNote(note)
  if (!parsed.ok) return parsed
  const { text, signatures } = parsed.value
  const verified = new Map<VerifierKey, number | null>()
  const unverified = new Map<string, string>()
  for (const line of signatures) {
    const keys = trusted.filter(key => key.name === line.name && key.id.equals(line.keyId))
    const [key] = keys
    if (key === undefined) unverified.set(formatSignature(line), line.name)
    else {
      const checked = checkSignature(key, text, line.signature)
      const ambiguous = keys.some(other => !other.publicKey.bytes.equals(key.publicKey.bytes))
      if (checked === null || ambiguous) return refused(badSignature(line, ambiguous))
      verified.set(key, checked.at)
    }
  }
  if (verified.size === 0) return refused(noneTrusted(signatures))
  return ok({
    text,
    verified: [...verified].map(([key, at]) => ({ key, at })),
    unverified: [...unverified.values()],
  })
}

/** Signs a text of whole lines with each signer. Throws a RangeError if a note cannot hold the text. */
export function signNote(text: string, ...signers: readonly NoteSigner[]): string {
  return formatNote(
    text,
    signers.map(({ name, privateKey }) => ({
      name,
      keyId: keyId(name, privateKey.publicKey),
      signature: signEd25519(privateKey, Buffer.from(text)),
    })),
  )
}

export function formatNote(text: string, signatures: readonly NoteSignature[]): string {
  const note = `${text}\n${signatures.map(formatSignature).join('')}`
  const parsed = parseNote(note)
  if (!parsed.ok || parsed.value.text !== text)
    throw new RangeError('the text or a signature is not for a note')
  return note
}

/** Parses a note as strictly as specification.md#audit-verifier requires. It does not check signatures. */
export function parseNote(note: string | Uint8Array): Result<Note, NoteRefusal> {
  const whole = typeof note === 'string' ? note : decodeUtf8(note)
  if (whole === null || loneSurrogate.test(whole)) return malformed('it is not UTF-8 text')
  if (whole.length > noteLengthMax) return malformed(`it is longer than ${noteLengthMax} characters`)
  if (control.test(whole)) return malformed('it holds a control character')
  const end = whole.lastIndexOf('\n\n')
  if (end <= 0) return malformed('no blank line stands between its text and its signatures')
  const lines = whole.slice(end + 2).split('\n')
  if (lines.pop() !== '') return malformed('it does not end with a newline')
  if (lines.length === 0) return malformed('it has no signature')
  if (lines.length > signaturesMax) return malformed(`it has more than ${signaturesMax} signatures`)
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const signature = parseSignature(line)
    if (signature === null) return malformed('a signature line is not "— name base64"')
    signatures.push(signature)
  }
  return ok({ text: whole.slice(0, end + 1), signatures })
}

function parseSignature(line: string): NoteSignature | null {
  const [dash, name = '', base64 = '', ...more] = line.split(' ')
  const bytes = decodeBase64(base64)
  if (dash !== '\u2014' || !isKeyName(name) || more.length > 0) return null
  if (bytes === null || bytes.length < 5) return null
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) }
}

function formatSignature({ name, keyId, signature }: NoteSignature): string {
  return `\u2014 ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`
}

function checkSignature(key: VerifierKey, text: string, signature: Buffer): { at: number | null } | null {
  if (key.algorithm === 'cosignature') return verifyCosignature(key.publicKey, text, signature)
  return verifyEd25519(key.publicKey, Buffer.from(text), signature) ? { at: null } : null
}

function badSignature(line: NoteSignature, ambiguous: boolean): NoteRefusal {
  const key = `${line.name}+${hex(line.keyId)}`
  const message = ambiguous
    ? `two trusted keys are both named ${key}`
    : `the signature of ${key} is not one over this text by that key`
  return { code: 'bad_signature', message }
}

function noneTrusted(signatures: readonly NoteSignature[]): NoteRefusal {
  const names = signatures.map(({ name, keyId }) => `${name}+${hex(keyId)}`)
  return { code: 'unverified', message: `no trusted key signed it, only ${[...new Set(names)].join(', ')}` }
}

function malformed(problem: string): { ok: false; error: NoteRefusal } {
  return refused({ code: 'malformed', message: `it is no signed note: ${problem}` })
}

const noteLengthMax = 1_000_000
const signaturesMax = 100
const control = /(?!\n)\p{Cc}/u
const loneSurrogate = /\p{Surrogate}/u

/**
 * Checks the signature of a witness (C2SP tlog-cosignature, cosignature/v1). Returns the Unix time in seconds at
 * which the witness saw the checkpoint, or null if the signature is invalid.
 */
export function verifyCosignature(
  witness: PublicKey,
  checkpointText: string,
  cosignature: Uint8Array,
): { at: number } | null {
  const read = readCosignature(cosignature)
  if (read === null) return null
  const message = Buffer.from(`cosignature/v1\ntime ${read.at}\n${checkpointText}`)
  return verifyEd25519(witness, message, read.signature) ? { at: read.at } : null
}

/**
 * Splits a cosignature into a time of 8 bytes, big endian, and a signature of 64 bytes. Returns null for another
 * length or a time beyond 2^53-1.
 */
export function readCosignature(cosignature: Uint8Array): { at: number; signature: Uint8Array } | null {
  if (cosignature.length !== 72) return null
  const at = Buffer.from(cosignature).readBigUInt64BE()
  if (at > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return { at: Number(at), signature: cosignature.subarray(8) }
}

import { randomBytes, randomFillSync } from 'node:crypto'
import type { KeyScope } from '../contract/role-schema.ts'
import { wallTimeMs } from './clock.ts'

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'
const rfc4648 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * Returns `act_` + 10 characters of time + 26 characters of 130 random bits: ids sort by time and cannot be
 * guessed.
 */
export function newActionId(): string {
  return `act_${timePart(wallTimeMs())}${characters(26, crockford)}`
}

export function actionIdsFrom(at: Date): string {
  return `act_${timePart(at.getTime())}`
}

/**
 * Returns `agk_`, `apk_`, `amk_` or `adk_` + 16 lower-case base32 characters
 * (specification.md#identifiers-keys-and-time).
 */
export function newKeyId(scope: KeyScope): string {
  return `${keyPrefixes[scope]}_${characters(16, rfc4648)}`
}

const keyPrefixes: Readonly<Record<KeyScope, string>> = {
  agent: 'agk',
  approver: 'apk',
  policy_author: 'amk',
  auditor: 'amk',
  operator: 'amk',
  admin: 'adk',
  on_call: 'adk',
}

export function random32(): Buffer {
  return pooled(32)
}

/** Returns a random name of 80 bits for a worker or a request. */
export function newName(prefix: string): string {
  return `${prefix}_${characters(16, rfc4648)}`
}

/** Returns 8 characters of lower-case base32 (40 bits) that make ids with the same beginning differ. */
export function newSuffix(): string {
  return characters(8, rfc4648)
}

/** Returns 32 hexadecimal digits. The last digit is odd, because an all-zero id would be invalid. */
export function newTraceId(): string {
  return notZero(pooled(16)).toString('hex')
}

export function newSpanId(): string {
  return notZero(pooled(8)).toString('hex')
}

export function jitter(): number {
  return randomBytes(4).readUInt32BE() / 2 ** 32
}

function notZero(bytes: Buffer): Buffer {
  const last = bytes.length - 1
  bytes[last] = (bytes[last] ?? 0) | 1
  return bytes
}

function timePart(ms: number): string {
  let text = ''
  for (let rest = ms, at = 0; at < 10; at += 1) {
    text = crockford.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function characters(count: number, alphabet: string): string {
  let text = ''
  for (const byte of pooled(count)) text += alphabet.charAt(byte & 31)
  return text
}

const pool = Buffer.alloc(8192)
let used = pool.length

/** Returns random bytes from a pool, because a system call costs more than the bytes. */
function pooled(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return Buffer.from(pool.subarray(used - count, used))
}

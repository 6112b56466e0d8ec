import { createECDH, ECDH, hkdfSync } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hmacSha256 } from '../../canon/digest.ts'
import { importPrivateKey, type PrivateKey, privateKeyPem } from '../../canon/ed25519.ts'
import { random32 } from '../ids.ts'
import { type Config, ConfigError } from '../settings/config.ts'
import { openSignedLogs, type SignedLogs } from './signed-logs.ts'

/** A name and a private key that sign statements and checkpoints (specification.md#audit-keys). */
export interface SigningKey {
  name: string
  privateKey: PrivateKey
}

export interface Signing {
  keys: readonly SigningKey[]
  signed: SignedLogs
}

export const unkeptLogs =
  'no SERVICE_SIGNED_LOGS_FILE: after a restart a log that was rolled back would be signed again'

const keyFile = 'signing-key.pem'
const signedFile = 'signed-logs'

/**
 * Opens the signing keys of the settings. In embedded mode the key is a file beside the data, created at the first
 * start with mode 0600; a temporary database keeps the key in memory. Returns null if signing is not configured.
 * Only a signing process calls this.
 */
export function openSigning(config: Config, embedded: { directory: string | null } | null): Signing | null {
  const pem = configuredPem(config) ?? (embedded && embeddedPem(embedded.directory))
  if (pem !== null) {
    const directory = embedded?.directory ?? null
    const journal = config.signed_logs_file ?? (directory && join(resolve(directory), signedFile))
    return { keys: readKeys(config.signing_name, pem), signed: openJournal(journal) }
  }
  if (!config.signing_required) return null
  const message = 'signing is required, and neither SERVICE_SIGNING_KEY_FILE nor SERVICE_SIGNING_KEY is set'
  throw new ConfigError([{ path: 'SERVICE_SIGNING_REQUIRED', code: 'signing_key_missing', message }])
}

function configuredPem({ signing_key_file, signing_key }: Config): string | null {
  if (signing_key_file === undefined) return signing_key ?? null
  try {
    return readFileSync(signing_key_file, 'utf8')
  } catch (error) {
    throw unusable('SERVICE_SIGNING_KEY_FILE', error)
  }
}

function embeddedPem(directory: string | null): string {
  if (directory === null) return privateKeyPem(random32())
  const path = join(resolve(directory), keyFile)
  if (!existsSync(path)) makeKey(path)
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  return readFileSync(path, 'utf8')
}

/** Writes to a temporary name and then renames, so that a crash leaves a whole key or none. */
function makeKey(path: string): void {
  writeFileSync(`${path}.new`, privateKeyPem(random32()), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function openJournal(path: string | null): SignedLogs {
  try {
    return openSignedLogs(path)
  } catch (error) {
    throw unusable('SERVICE_SIGNED_LOGS_FILE', error)
  }
}

function readKeys(name: string, text: string): SigningKey[] {
  try {
    const keys = text
      .split(/(?=-----BEGIN )/)
      .filter(block => block.startsWith('-----BEGIN '))
      .map(pem => ({ name, privateKey: importPrivateKey(pem) }))
    const distinct = new Set(keys.map(({ privateKey: { publicKey } }) => publicKey.bytes.toString('hex')))
    if (distinct.size !== keys.length) throw new Error('the same key comes twice')
    if (keys.length === 0) throw new Error('there is no key')
    return keys
  } catch (error) {
    throw unusable('SERVICE_SIGNING_KEY', error)
  }
}

function unusable(path: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error)
  return new ConfigError([{ path, code: 'signing_key_unusable', message: `cannot be used: ${reason}` }])
}

const webhookKeyFile = 'webhook-key'

/**
 * Opens the key from which webhook secrets are derived. In embedded mode the key is a file beside the data,
 * created at the first start with mode 0600; a temporary database keeps the key in memory. Null disables webhooks.
 */
export function openWebhookKey(
  { webhook_key }: Pick<Config, 'webhook_key'>,
  embedded: { directory: string | null } | null,
): Buffer | null {
  if (webhook_key !== undefined) return webhook_key
  if (embedded === null) return null
  return embedded.directory === null ? random32() : keptKey(join(resolve(embedded.directory), webhookKeyFile))
}

/** Derives a secret in the format of the Standard Webhooks specification, so that no secret must be stored. */
export function webhookSecret(key: Uint8Array, webhookId: string, generation: number): string {
  const derived = hmacSha256(key, 'action-gate webhook v1', `${webhookId}.${generation}`)
  return `whsec_${Buffer.from(derived, 'hex').toString('base64')}`
}

/** Writes to a temporary name and then renames, so that a crash leaves a whole key or none. */
function keptKey(path: string): Buffer {
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, random32().toString('base64'), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  return Buffer.from(readFileSync(path, 'utf8'), 'base64')
}

const curve = 'prime256v1'
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The key pair that identifies this service to push services (VAPID, RFC 8292), in base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/**
 * Derives the push key pair from the webhook key, so that push needs no setting. The 32 bytes of the private key
 * are reduced from 48 bytes, so that every value is equally likely (FIPS 186-5, A.2.1).
 */
export function pushKeys(webhookKey: Uint8Array): PushKeys {
  const derived = Buffer.from(hkdfSync('sha256', webhookKey, Buffer.alloc(0), 'gate/web-push/v1\n', 48))
  const scalar = (BigInt(`0x${derived.toString('hex')}`) % (order - 1n)) + 1n
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const pair = createECDH(curve)
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}

/** Returns true if a browser's public key is a point of the curve. Any other key would be unusable. */
export function isPushKey(p256dh: string): boolean {
  try {
    ECDH.convertKey(Buffer.from(p256dh, 'base64url'), curve, undefined, undefined, 'compressed')
    return true
  } catch {
    return false
  }
}

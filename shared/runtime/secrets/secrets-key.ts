import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { agreementPairOf, agreementPem, readAgreementKey, readAgreementPair } from '../../canon/x25519.ts'
import { random32 } from '../ids.ts'
import { type Config, ConfigError } from '../settings/config.ts'
import { type OpeningKey, openingKeyOf, type SealingKey, sealingKeyOf } from './sealed-secret.ts'

const keyFile = 'secrets-key.pem'

/**
 * The keys of a process for tenants' secrets. The `sealing` key encrypts secrets, and the `opening` keys decrypt
 * them.
 */
export interface SecretsKeys {
  sealing: SealingKey | null
  /** The oldest key comes first; empty if the process may not read secrets. */
  opening: readonly OpeningKey[]
}

/**
 * Opens the keys of the settings. In embedded mode the key is a file beside the data, created at the first start
 * with mode 0600; a temporary database keeps the key in memory. An API process of the platform mode has only the
 * public key.
 */
export function openSecretsKeys(
  { secrets_key, secrets_public_key }: Pick<Config, 'secrets_key' | 'secrets_public_key'>,
  embedded: { directory: string | null } | null,
): SecretsKeys {
  const pem = secrets_key ?? (embedded && embeddedPem(embedded.directory))
  const opening = pem === null ? [] : readKeys(pem)
  const given = secrets_public_key === undefined ? null : readPublic(secrets_public_key)
  return { sealing: given ?? opening.at(-1) ?? null, opening }
}

function embeddedPem(directory: string | null): string {
  if (directory === null) return agreementPem(agreementPairOf(random32()))
  const path = join(resolve(directory), keyFile)
  if (!existsSync(path)) makeKey(path)
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  return readFileSync(path, 'utf8')
}

/** Writes to a temporary name and then renames, so that a crash leaves a whole key or none. */
function makeKey(path: string): void {
  writeFileSync(`${path}.new`, agreementPem(agreementPairOf(random32())), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Reads several keys from one text. Rejects a truncated or repeated key, because either is a mistake. */
function readKeys(text: string): OpeningKey[] {
  return usable('SERVICE_SECRETS_KEY', () => {
    const keys = text
      .split(/(?=-----BEGIN )/)
      .filter(block => block.startsWith('-----BEGIN '))
      .map(pem => openingKeyOf(readAgreementPair(pem)))
    if (new Set(keys.map(({ id }) => id)).size !== keys.length) throw new Error('the same key comes twice')
    if (keys.length === 0) throw new Error('there is no key')
    return keys
  })
}

function readPublic(pem: string): SealingKey {
  return usable('SERVICE_SECRETS_PUBLIC_KEY', () => sealingKeyOf(readAgreementKey(pem)))
}

function usable<Read>(path: string, read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ path, code: 'secrets_key_unusable', message: `cannot be used: ${reason}` }])
  }
}

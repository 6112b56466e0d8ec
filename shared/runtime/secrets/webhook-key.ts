import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hmacSha256 } from '../../canon/digest.ts'
import { random32 } from '../ids.ts'
import type { Config } from '../settings/config.ts'

const keyFile = 'webhook-key'

/**
 * The key that secrets of webhooks are derived from: of the settings, or in embedded mode one that stands beside the
 * data, made at the first start with mode 0600; for a temporary database one that goes with it. Null: there are no webhooks.
 */
export function openWebhookKey(
  { webhook_key }: Pick<Config, 'webhook_key'>,
  embedded: { directory: string | null } | null,
): Buffer | null {
  if (webhook_key !== undefined) return webhook_key
  if (embedded === null) return null
  return embedded.directory === null ? random32() : keptKey(join(resolve(embedded.directory), keyFile))
}

/** A secret as the Standard Webhooks specification writes it: nobody stores it, whoever has the key can derive it. */
export function webhookSecret(key: Uint8Array, webhookId: string, generation: number): string {
  const derived = hmacSha256(key, 'action-gate webhook v1', `${webhookId}.${generation}`)
  return `whsec_${Buffer.from(derived, 'hex').toString('base64')}`
}

/** Under its name there is a whole key or none, whenever the process ends. */
function keptKey(path: string): Buffer {
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, random32().toString('base64'), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  return Buffer.from(readFileSync(path, 'utf8'), 'base64')
}

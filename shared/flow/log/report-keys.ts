import { planKeys } from '../../audit/note/key-roster.ts'
import { formatVkey, verifierKey } from '../../audit/note/verifier-key.ts'
import { hex } from '../../canon/digest.ts'
import { importPublicKey, publicKeyPem } from '../../canon/ed25519.ts'
import type { ConfigEventKind } from '../../contract/action/audit.ts'
import type { SigningKey } from '../../runtime/secrets/service-keys.ts'
import { ConfigError } from '../../runtime/settings/config.ts'
import { changeKeys, markTold, readUntold, type UntoldKey } from '../../store/log/signing-keys.ts'
import { tenantsAfter } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'

const tenantsAtOnce = 500

/**
 * Publishes the keys of this process before they sign anything, and retires those they replace
 * (specification.md#audit-keys); `tellEveryLog` runs after it. Throws a ConfigError if a key may not sign any
 * longer.
 */
export async function admitKeys(context: Context, keys: readonly SigningKey[]): Promise<void> {
  const own = keys.map(({ name, privateKey: { publicKey } }) => ({
    key_id: hex(verifierKey(name, publicKey).id),
    name,
    public_key: publicKey.bytes,
  }))
  const ids = own.map(({ key_id }) => key_id)
  const compromised = context.config.signing_keys_compromised
  await context.store.write('all', writer =>
    changeKeys(writer, own, known => {
      const planned = planKeys(known, ids, compromised)
      if (planned.ok) return planned.value
      throw new ConfigError([
        { path: 'SERVICE_SIGNING_KEY', code: 'signing_key_ended', message: planned.error },
      ])
    }),
  )
}

export async function tellEveryLog(context: Context, isStopped: () => boolean): Promise<void> {
  let tenantIds = await context.store.read('all', reader => tenantsAfter(reader, '', tenantsAtOnce))
  while (tenantIds.length > 0 && !isStopped()) {
    await tellKeys(context, tenantIds, isStopped)
    const last = tenantIds.at(-1) ?? ''
    tenantIds = await context.store.read('all', reader => tenantsAfter(reader, last, tenantsAtOnce))
  }
}

export async function tellKeys(
  context: Context,
  tenantIds: readonly string[],
  isStopped: () => boolean = () => false,
): Promise<void> {
  const untold = await context.store.read('all', reader => readUntold(reader, tenantIds))
  for (const key of untold) {
    if (isStopped()) return
    await tell(context, key)
  }
}

async function tell(context: Context, key: UntoldKey): Promise<void> {
  const kind = kinds[key.status]
  await changeConfig(context, key.tenant_id, { source: 'signing' }, async query => {
    const isNews = await markTold(query, key)
    if (!isNews || (kind === 'signing_key_added' && key.told_status !== null)) return { answer: undefined }
    return { answer: undefined, entry: { kind, payload: keyPayload(key) } }
  })
}

function keyPayload({ key_id, name, public_key }: UntoldKey) {
  const publicKey = importPublicKey(public_key)
  if (!publicKey) throw new Error(`the stored signing key ${key_id} is none`)
  return { key_id, vkey: formatVkey(verifierKey(name, publicKey)), spki_pem: publicKeyPem(publicKey) }
}

const kinds: Record<UntoldKey['status'], ConfigEventKind> = {
  next: 'signing_key_added',
  active: 'signing_key_added',
  retired: 'signing_key_retired',
  compromised: 'signing_key_compromised',
}

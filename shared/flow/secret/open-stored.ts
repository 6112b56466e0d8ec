import type { OpenStored, SecretLack, SecretsWanted } from '../../actuator/stored-secrets.ts'
import { createBatcher } from '../../runtime/batcher.ts'
import { isLost } from '../../runtime/outage.ts'
import { type OpeningKey, openSecret } from '../../runtime/secrets/sealed-secret.ts'
import {
  markFirstUse,
  readSealedSecrets,
  type SecretRef,
  type UsableSecret,
} from '../../store/tenant/tenant-secrets.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { lackOf, unreadable } from './judge-secret.ts'

/**
 * Opens stored secrets for a worker. Each call reads them anew in a query shared with concurrent calls, and their
 * values are kept for that call alone; the first use of a version is recorded before anything is sent.
 */
export function createOpenStored(context: Context, keys: readonly OpeningKey[]): OpenStored {
  const read = createBatcher<SecretRef[], UsableSecret[]>({
    size_max: 64,
    groups_max: 2,
    isOfAll: isLost,
    async run(groups) {
      const wanted = groups.flat()
      const tenants = [...new Set(wanted.map(({ tenant_id }) => tenant_id))]
      const found = await readSealedSecrets(context.store.readEach(tenants), wanted)
      const byRef = new Map(found.map(secret => [refText(secret), secret]))
      return groups.map(group => group.flatMap(ref => byRef.get(refText(ref)) ?? []))
    },
  })
  return async wanted => {
    try {
      const { tenant_id, names } = wanted
      const found = await read(names.map(name => ({ tenant_id, name })))
      const opened = openAll(keys, wanted, found)
      if ('code' in opened) return opened
      for (const secret of found) if (!secret.used) await recordFirstUse(context, secret)
      return opened
    } catch (error) {
      context.events.failed('open_secrets', error)
      return null
    }
  }
}

/** A space separates the parts, because neither tenant ids nor names contain one. */
function refText({ tenant_id, name }: SecretRef): string {
  return `${tenant_id} ${name}`
}

function openAll(
  keys: readonly OpeningKey[],
  { actuator, names, places }: SecretsWanted,
  found: readonly UsableSecret[],
): Map<string, string> | SecretLack {
  const hasKey = (keyId: string): boolean => keys.some(({ id }) => id === keyId)
  const opened = new Map<string, string>()
  for (const name of names) {
    const secret = found.find(one => one.name === name)
    const lack = lackOf({ name, actuator, places }, secret, hasKey)
    if (lack || !secret) return lack ?? unreadable(name)
    const value = openSecret(keys, secret, secret)
    if (value === null) return unreadable(name)
    opened.set(name, value)
  }
  return opened
}

/** Throws if the version is no longer the newest, so that the call is retried with that one. */
async function recordFirstUse(context: Context, secret: UsableSecret): Promise<void> {
  const { tenant_id, name, version, actuator } = secret
  const use = await changeConfig(context, tenant_id, { source: 'secrets' }, async query => {
    const marked = await markFirstUse(query, secret)
    if (marked !== 'first') return { answer: marked }
    return { answer: marked, entry: { kind: 'secret_used', payload: { name, version, actuator } } }
  })
  if (use === 'gone') throw new Error('a stored secret was replaced meanwhile')
}

import { placesOf, samePlaces } from '../../actuator/stored-secrets.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type {
  SecretChanged,
  SecretConfirmation,
  SecretList,
  SecretMetadata,
  SecretRequest,
} from '../../contract/configuration/secret-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { sealSecret } from '../../runtime/secrets/sealed-secret.ts'
import type { Query } from '../../store/postgres/open.ts'
import { readActuators } from '../../store/tenant/active-documents.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import {
  confirmSecret as confirmStored,
  deleteSecret as deleteStored,
  lastVersion,
  listSecrets as listStored,
  readSecret,
  type SecretRef,
  type StoredSecret,
  writeSecret,
} from '../../store/tenant/tenant-secrets.ts'
import { type ConfigOutcome, changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { liveOffers } from '../execution/judge-registrations.ts'
import { needsOf } from '../secret/secret-needs.ts'

export async function listSecrets(context: Context, tenantId: string): Promise<SecretList> {
  const { stored, actuators } = await context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    const [stored, actuators] = [await listStored(query, tenantId), await readActuators(query, tenantId)]
    return { stored, actuators }
  })
  const needs = needsOf(actuators, { stored, offers: await liveOffers(context) })
  return { secrets: stored.map(metadataOf), needs, can_write: context.sealingKey !== null }
}

/**
 * Stores a value for one actuator, bound to the addresses of its registration at that moment. It is sealed before
 * it reaches the database, and only workers have the key that opens it.
 */
export async function putSecret(
  context: Context,
  ref: SecretRef,
  { request, author }: { request: SecretRequest; author: Author },
): Promise<SecretChanged> {
  const { sealingKey } = context
  if (!sealingKey) throw new ServiceError('secrets_not_configured')
  const { actuator, value, bound_to: expected } = request
  const written = await changeConfig(context, ref.tenant_id, author, async query => {
    const bound_to = await placesOfActuator(query, ref.tenant_id, actuator)
    if (expected) refuseOtherPlaces(actuator, bound_to, expected)
    await refuseMany(query, ref)
    const version = (await lastVersion(query, ref)) + 1
    const sealed = sealSecret(sealingKey, { ...ref, actuator, version }, value)
    const row = { ...ref, version, actuator, bound_to, ...sealed, author }
    const secret = await writeSecret(query, row)
    await context.reach('secret_written')
    return changed('written', secret)
  })
  await context.reach('secret_committed')
  return withWarnings(context, written)
}

export async function confirmSecret(
  context: Context,
  ref: SecretRef,
  { request, author }: { request: SecretConfirmation; author: Author },
): Promise<SecretChanged> {
  const confirmed = await changeConfig(context, ref.tenant_id, author, async query => {
    const { actuator, version } = await theSecret(query, ref)
    if (version !== request.version)
      throw new ServiceError('secret_mismatch', `${ref.name} is at version ${version} now`)
    const bound_to = await placesOfActuator(query, ref.tenant_id, actuator)
    refuseOtherPlaces(actuator, bound_to, request.bound_to)
    return changed('confirmed', await confirmStored(query, ref, { bound_to, confirmed_by: author }))
  })
  return withWarnings(context, confirmed)
}

/** Deletes the value from the database before the answer; backups hold it only sealed. */
export async function deleteSecret(
  context: Context,
  ref: SecretRef,
  author: Author,
): Promise<SecretMetadata> {
  const deleted = await changeConfig(context, ref.tenant_id, author, async query => {
    const secret = await theSecret(query, ref)
    await deleteStored(query, ref)
    return changed('deleted', secret)
  })
  return metadataOf(deleted)
}

/** The event repeats the whole state, so that a reader needs only the last event of a name. */
function changed(
  change: 'written' | 'confirmed' | 'deleted',
  secret: StoredSecret,
): ConfigOutcome<StoredSecret> {
  const { name, version, actuator, bound_to } = secret
  const payload: JsonObject = { change, name, version, actuator, bound_to }
  return { answer: secret, entry: { kind: 'secret_revision', payload } }
}

async function theSecret(query: Query, ref: SecretRef): Promise<StoredSecret> {
  const secret = await readSecret(query, ref)
  if (!secret) throw new ServiceError('secret_not_found', `tenant ${ref.tenant_id} has no secret ${ref.name}`)
  return secret
}

async function placesOfActuator(query: Query, tenantId: string, name: string): Promise<string[]> {
  const actuator = (await readActuators(query, tenantId)).find(one => one.name === name)
  if (!actuator) throw new ServiceError('actuator_not_found', `tenant ${tenantId} has no actuator ${name}`)
  const places = placesOf(actuator)
  if (places.length > 0) return places
  const message = `${name} is registered without an address, so there is nothing that a secret could be bound to`
  throw new ServiceError('validation_failed', `actuator: ${message}`, [
    { path: 'actuator', code: 'no_address', message },
  ])
}

function refuseOtherPlaces(actuator: string, registered: string[], expected: readonly string[]): void {
  if (samePlaces(registered, [...expected].sort())) return
  throw new ServiceError('secret_mismatch', `${actuator} is registered for ${registered.join(' and ')}`)
}

async function refuseMany(query: Query, ref: SecretRef): Promise<void> {
  const stored = await listStored(query, ref.tenant_id)
  if (stored.some(({ name }) => name === ref.name) || stored.length < limits.secrets_per_tenant_max) return
  throw new ServiceError('too_many_secrets', `it has ${stored.length}: delete one first`)
}

async function withWarnings(context: Context, secret: StoredSecret): Promise<SecretChanged> {
  const { needs } = await listSecrets(context, secret.tenant_id)
  const own = needs.filter(({ source, name }) => source === 'tenant' && name === secret.name)
  const unused = {
    path: 'name',
    code: 'secret_not_named',
    message: `no setting of ${secret.actuator} names it: refer to it as {"secret": "${secret.name}"}`,
  }
  const warnings = own.flatMap(({ actuator, path, state, message }) =>
    message === null ? [] : [{ path: `${actuator}.${path}`, code: `secret_${state}`, message }],
  )
  const isNamed = own.some(({ actuator }) => actuator === secret.actuator)
  return { secret: metadataOf(secret), warnings: isNamed ? warnings : [...warnings, unused] }
}

function metadataOf(stored: StoredSecret): SecretMetadata {
  const { tenant_id, name, version, actuator, bound_to, key_id } = stored
  return {
    tenant_id,
    name,
    version,
    actuator,
    bound_to,
    key_id,
    written_by: stored.author,
    written_at: stored.written_at.toISOString(),
    confirmed_by: stored.confirmed_by,
    confirmed_at: stored.confirmed_at?.toISOString() ?? null,
    first_used_at: stored.first_used_at?.toISOString() ?? null,
  }
}

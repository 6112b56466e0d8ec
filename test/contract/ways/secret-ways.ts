import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { plantStoredSecret } from '../../support/service/plant-secret.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the errors that secrets have, as an operator and as an owner. */
export const secretErrorWays: Partial<Record<ErrorCode, Way>> = {
  secret_not_found: (operation, stage) => named('none', operation, stage),
  secret_mismatch: changedBody({ bound_to: ['https://elsewhere.example'] }),
  secrets_not_configured: (operation, stage) => ({
    asked: validRequest(operation, stage.world.known),
    url: stage.refusing.unkeyed,
  }),
  actuator_not_found: async (operation, stage) => {
    if (operation.operationId.startsWith('put_')) return changedBody({ actuator: 'none' })(operation, stage)
    await plantIn(operation, stage, { name: 'of_none', actuator: 'none' })
    return named('of_none', operation, stage)
  },
  too_many_secrets: async (operation, stage) => {
    for (let made = 0; made < limits.secrets_per_tenant_max; made += 1)
      await plantIn(operation, stage, { name: `many_${made}` })
    return named('one_more', operation, stage)
  },
}

/** A secret can be deleted once. */
export const secretWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  delete_secret: { 200: onFreshSecret },
  delete_owned_secret: { 200: onFreshSecret },
}

async function onFreshSecret(operation: Operation, stage: Stage): Promise<Attempt> {
  const name = `of_${operation.operationId}`
  await plantIn(operation, stage, { name })
  return named(name, operation, stage)
}

function named(name: string, operation: Operation, { world: { known } }: Stage): Attempt {
  const asked = validRequest(operation, known)
  return { asked: { ...asked, params: { ...asked.params, name } } }
}

function changedBody(change: object): Way {
  return (operation, { world: { known } }) => {
    const asked: Asked = validRequest(operation, known)
    const body = { ...(JSON.parse(asked.body ?? '{}') as object), ...change }
    return { asked: { ...asked, body: JSON.stringify(body) } }
  }
}

async function plantIn(
  operation: Operation,
  { world: { known, service } }: Stage,
  secret: { name: string; actuator?: string },
): Promise<void> {
  const { tenant_id = '' } = validRequest(operation, known).params
  await plantStoredSecret(service.context, tenant_id, secret).catch(error => {
    // Planted for another way already.
    if (!/tenant_secrets/.test(String(error))) throw error
  })
}

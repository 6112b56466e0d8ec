import { exampleOperation, examplePolicy } from '../../shared/contract/examples/example-policy.ts'
import { validRequest } from './valid-request.ts'
import type { Way } from './ways/way.ts'

const names = Array.from({ length: 200 }, (_, at) => `${'long-name-'.repeat(5)}${at}`)
/** So large that they are read in slices. */
export const largePolicy = { ...examplePolicy, allowed_systems: [...examplePolicy.allowed_systems, ...names] }
const largeCatalog = { operations: names.map(operation => ({ ...exampleOperation, operation })) }

/** Too many proofs are under way: what is large is met by that as soon as it is read, and a revision where it is proved. */
export const tooManyProofs: Way = async (operation, { world, refusing }) => {
  const asked = validRequest(operation, world.known)
  const url = refusing.proving
  if (operation.operationId === 'rollback_policy') {
    const { id } = await world.service.tenant({ policy: largePolicy })
    return { asked: { ...asked, params: { tenant_id: id }, body: JSON.stringify({ revision: 1 }) }, url }
  }
  if (operation.operationId === 'remove_tool') {
    const { id } = await world.service.tenant({ policy: largePolicy })
    return { asked: { ...asked, params: { ...asked.params, tenant_id: id } }, url }
  }
  const large = largeBodies[operation.operationId]
  if (!large) return { asked, url }
  return { asked: { ...asked, body: JSON.stringify(large(JSON.parse(String(asked.body)))) }, url }
}

const withPolicy = (body: object) => ({ ...body, policy: largePolicy })

const withOperations = (body: object) => ({ ...body, ...largeCatalog })

const largeBodies: Readonly<Record<string, (body: object) => object>> = {
  validate_policy: () => largePolicy,
  validate_owned_policy: () => largePolicy,
  check_policy: withPolicy,
  check_owned_policy: withPolicy,
  replace_policy: () => largePolicy,
  replace_owned_policy: () => largePolicy,
  create_catalog: () => largeCatalog,
  revise_catalog: () => largeCatalog,
  revise_owned_catalog: () => largeCatalog,
  change_tool: withOperations,
  change_owned_tool: withOperations,
}

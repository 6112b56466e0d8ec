import type { JsonObject, JsonValue } from '../../../../shared/contract/base/json.ts'
import type { BoundedGrant, GrantStatus } from '../../../../shared/contract/configuration/grant-schema.ts'

/** Returns the bounds of a grant in words, such as "amount at most 50, order.kind is "a"". */
export function boundsInWords({ constraints }: Pick<BoundedGrant, 'constraints'>): string {
  return Object.entries(constraints)
    .map(([path, { equals, one_of, min, max }]) => {
      const parts = [
        ...(equals === undefined ? [] : [`is ${JSON.stringify(equals)}`]),
        ...(one_of === undefined ? [] : [`one of ${one_of.map(value => JSON.stringify(value)).join(', ')}`]),
        ...(min === undefined ? [] : [`at least ${min}`]),
        ...(max === undefined ? [] : [`at most ${max}`]),
      ]
      return `${path} ${parts.length === 0 ? 'is there' : parts.join(' and ')}`
    })
    .join(', ')
}

/** Suggests bounds from a held action. A number becomes a maximum, and any other value must be equal. */
export function boundsOf(parameters: JsonObject): JsonObject {
  return Object.fromEntries(leavesOf(parameters, '').map(([path, value]) => [path, boundOf(value)]))
}

function leavesOf(value: JsonObject, before: string): [path: string, value: JsonValue][] {
  return Object.entries(value).flatMap(([name, inner]): [string, JsonValue][] => {
    // A parameter with a dot in its name gets no bound, because dots separate the steps of a path.
    if (name.includes('.') || name === '') return []
    const path = `${before}${name}`
    const isInside = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isInside ? leavesOf(inner, `${path}.`) : [[path, inner]]
  })
}

function boundOf(value: JsonValue): JsonObject {
  return typeof value === 'number' ? { max: value } : { equals: value }
}

export const grantStatusWords: Readonly<
  Record<GrantStatus, { label: string; tone: 'good' | 'warn' | 'plain' }>
> = {
  active: { label: 'In use', tone: 'good' },
  resting: { label: 'Rests: policy, catalog or registration changed', tone: 'warn' },
  used_up: { label: 'Used up', tone: 'plain' },
  ended: { label: 'Ended', tone: 'plain' },
  revoked: { label: 'Revoked', tone: 'plain' },
}

import { kindOf } from '../../contract/actuator-kind/kinds.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import type { AdmissionEntry } from './admit-entries.ts'
import { hole } from './admit-hole.ts'
import type { AdmissionInput } from './admit-input.ts'

export const reviewMsMax = 365 * 24 * 3_600_000

/** Returns the admission holes of the review: CAT-1 and CAT-3 per entry, CAT-2 for the catalog. */
export function catalogHoles(input: AdmissionInput, entries: readonly AdmissionEntry[]): Hole[] {
  const actuators = new Map(input.actuators.map(actuator => [actuator.name, actuator]))
  const tools = new Map(input.tools.map(({ system, operation, hash }) => [`${system} ${operation}`, hash]))
  return [
    ...entries.flatMap(unfinished),
    ...reviewHoles(input),
    ...entries.flatMap(one => {
      const { system, operation } = one.entry
      const actuator = actuators.get(system)
      return actuator ? commitmentHoles(one, actuator, tools.get(`${system} ${operation}`)) : []
    }),
  ]
}

function unfinished({ entry, path }: AdmissionEntry): Hole[] {
  const { system, operation, minimum_risk, effects = [], reversibility } = entry
  const missing = [
    ...(minimum_risk === undefined ? ['minimum_risk'] : []),
    ...(effects.length === 0 ? ['effects'] : []),
    ...(reversibility === undefined ? ['reversibility'] : []),
  ]
  return missing.map(name =>
    hole('CAT-1', `${name} was not reviewed`, { system, operation, path: [...path, name] }),
  )
}

function reviewHoles({ review }: AdmissionInput): Hole[] {
  if (review === null) return []
  const place = { path: ['catalog'] }
  return [
    ...(review.author === review.reviewer
      ? [hole('CAT-2', 'who put the catalog in force also wrote the policy', place)]
      : []),
    ...(review.age_ms > reviewMsMax
      ? [hole('CAT-2', 'the catalog was reviewed more than a year ago', place)]
      : []),
  ]
}

/** Compares the tool hash that the catalog commits to with the actuator's hash, as the gate does. */
function commitmentHoles(
  { entry, path }: AdmissionEntry,
  actuator: RegisteredActuator,
  described: string | undefined,
): Hole[] {
  const { system, operation, tool_schema_hash: committed } = entry
  const { toolSchemaHash, comparedAtCall } = kindOf(actuator)
  const registered = described ?? toolSchemaHash(actuator.settings, operation)
  const place = { system, operation, path: [...path, 'tool_schema_hash'] }
  if (committed === null) {
    if (!comparedAtCall && registered === undefined) return []
    return [hole('CAT-3', 'the catalog commits to no tool schema, and the actuator calls a tool', place)]
  }
  if (registered === committed) return []
  // An MCP tool is compared when it is called, so an unknown hash is no hole.
  if (comparedAtCall && registered === undefined) return []
  const found = registered === undefined ? 'has no tool schema' : `has ${registered}`
  return [hole('CAT-3', `the catalog commits to ${committed}, and the actuator ${found}`, place)]
}

import type { Slices } from '../../contract/base/slices.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import { unmodelledIn } from '../unmodelled.ts'
import { constrainedPathFault } from './admit-constrained-path.ts'
import { type AdmissionEntry, constraintsFor } from './admit-entries.ts'
import { hole } from './admit-hole.ts'
import { unboundedPlaces } from './admit-unbounded.ts'

/** Returns the admission holes of the entries' schemas, SCH-1 to SCH-4. It yields after each entry. */
export function* schemaHoles(entries: readonly AdmissionEntry[], policy: Policy): Slices<Hole[]> {
  const holes: Hole[] = []
  for (const one of entries) {
    holes.push(...faultHoles(one), ...unmodelledHoles(one))
    holes.push(...unboundedHoles(one), ...constrainedHoles(one, policy))
    yield
  }
  return holes
}

function faultHoles({ entry: { system, operation }, faults }: AdmissionEntry): Hole[] {
  return faults.map(({ code, path, message }) =>
    hole(code === 'open_object' ? 'SCH-1' : 'SCH-2', message, { system, operation, path }),
  )
}

function unmodelledHoles({ entry, path, sound }: AdmissionEntry): Hole[] {
  if (sound === null) return []
  const { system, operation, parameter_schema: schema } = entry
  return unmodelledIn(schema, schema).map(({ keyword, path: parameter }) => {
    const where = parameter === '' ? 'of the parameters' : `of ${parameter}`
    const message = `nothing can be proved of the keyword ${keyword} ${where}`
    return hole('SCH-2', message, { system, operation, path: [...path, 'parameter_schema'] })
  })
}

function unboundedHoles({ entry, path, faults }: AdmissionEntry): Hole[] {
  if (faults.length > 0) return []
  const { system, operation, parameter_schema: schema } = entry
  return unboundedPlaces(schema).map(({ kind, path: at }) => {
    const message = `a value of type ${kind} has no bound there`
    return hole('SCH-3', message, { system, operation, path: [...path, 'parameter_schema', ...at] })
  })
}

function constrainedHoles({ entry, faults }: AdmissionEntry, policy: Policy): Hole[] {
  if (faults.length > 0) return []
  const { system, operation, parameter_schema: schema } = entry
  return Object.keys(constraintsFor(policy, { system, operation })).flatMap(parameter => {
    const fault = constrainedPathFault(schema, parameter)
    const path = ['policy', 'parameter_constraints', system, operation, parameter]
    return fault === null ? [] : [hole('SCH-4', fault, { system, operation, path })]
  })
}

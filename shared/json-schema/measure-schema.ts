import { type Issue, pathText } from '../contract/base/errors.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import { keywords } from './keywords.ts'
import { definitionIn, definitionName, type Path, type Place, subschemasOf } from './subschemas.ts'

export interface SchemaMeasure {
  /**
   * The number of checks, with references expanded. Without recursion, no value meets a check twice. So n
   * values take at most n times as many checks and have at most as many faults.
   */
  checks: number
  problems: Issue[]
}

export function measureSchema(root: JsonObject, path: Path): SchemaMeasure {
  const measuring: Measuring = { root, top: path, definitions: new Map(), problems: [] }
  const { checks } = measure({ schema: root, path }, 1, measuring)
  return { checks, problems: measuring.problems }
}

interface Extent {
  checks: number
  levels: number
}

interface Measuring {
  root: JsonObject
  top: Path
  /**
   * Extents by name. An extent is null while it is being measured, so that a reference back to it proves
   * recursion.
   */
  definitions: Map<string, Extent | null>
  problems: Issue[]
}

const none: Extent = { checks: 0, levels: 0 }

function measure(place: Place, level: number, measuring: Measuring): Extent {
  const { schema, path } = place
  if (!isPlainObject(schema)) return { checks: 1, levels: 1 }
  if (level > limits.catalog_schema_depth_max) return tooDeep(path, measuring)
  const referred = measureReference(schema.$ref, [...path, '$ref'], level, measuring)
  const extent = { checks: ownChecks(schema) + referred.checks, levels: referred.levels }
  for (const inner of subschemasOf(place)) {
    if (inner.keyword === '$defs') continue
    const { checks, levels } = measure(inner, level + 1, measuring)
    extent.checks += checks
    extent.levels = Math.max(extent.levels, levels)
  }
  return { checks: extent.checks, levels: extent.levels + 1 }
}

/** Measures each definition once, but counts it in full at every reference. */
function measureReference(
  reference: JsonValue | undefined,
  at: Path,
  level: number,
  measuring: Measuring,
): Extent {
  const name = definitionName(reference)
  const definition = name === null ? undefined : definitionIn(measuring.root, name)
  if (name === null || definition === undefined) return none
  const known = measuring.definitions.get(name)
  if (known === null) return recursive(at, measuring)
  if (known) return level + known.levels > limits.catalog_schema_depth_max ? tooDeep(at, measuring) : known
  measuring.definitions.set(name, null)
  const extent = measure(
    { schema: definition, path: [...measuring.top, '$defs', name] },
    level + 1,
    measuring,
  )
  measuring.definitions.set(name, extent)
  return extent
}

function ownChecks(schema: JsonObject): number {
  return Object.entries(schema).reduce((sum, [name, value]) => {
    if (keywords.get(name)?.annotation) return sum
    return sum + (name === 'required' || name === 'dependentRequired' ? namesIn(value) : 1)
  }, 1)
}

/** Counts each required name, because each of these names can be missing. */
function namesIn(value: JsonValue): number {
  if (Array.isArray(value)) return 1 + value.length
  return isPlainObject(value) ? 1 + Object.values(value).flat().length : 1
}

function recursive(path: Path, { problems }: Measuring): Extent {
  const message = 'leads back to itself: write it out as deep as it may go'
  problems.push({ path: pathText(path), code: 'recursive_reference', message })
  return none
}

function tooDeep(path: Path, { problems }: Measuring): Extent {
  const message = `is more than ${limits.catalog_schema_depth_max} levels deep with its references written out`
  problems.push({ path: pathText(path), code: 'too_deep', message })
  return none
}

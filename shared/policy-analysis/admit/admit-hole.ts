import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { pathText } from '../../contract/base/errors.ts'
import { type Hole, type HoleCode, holeSeverities } from '../../contract/configuration/admission.ts'

export interface HolePlace {
  system?: string | undefined
  operation?: string | undefined
  path?: readonly PropertyKey[] | string | undefined
  witness?: Proposal | undefined
}

/**
 * Creates an admission hole (specification.md#admission-holes). All holes with the same code have the same
 * fix.
 */
export function hole(code: HoleCode, message: string, place: HolePlace = {}): Hole {
  const { system = null, operation = null, path, witness } = place
  return {
    code,
    severity: holeSeverities[code],
    system,
    operation,
    path: typeof path === 'string' ? path : path ? pathText(path) : null,
    message,
    fix: fixes[code],
    ...(witness ? { witness } : {}),
  }
}

const fixes: Readonly<Record<HoleCode, string>> = {
  'COV-1': 'list the operations of the system in allowed_operations; an empty list allows none',
  'COV-2': 'review the operation and enter it in the catalog, or take it off allowed_operations',
  'COV-3':
    'raise its minimum_risk in the catalog to approval_required_at, so that a person decides, or do not allow it',
  'COV-4': 'lower approval_required_at, or raise minimum_risk of the operations that a person should decide',
  'COV-5': 'allow the operation, or remove its entry and constraints',
  'COV-6': 'loosen the constraints that exclude each other, or those that the schema excludes',
  'COV-7': 'remove the constraint, or make it say what was meant',
  'COV-8': 'issue an approver key to whoever review_route names',
  'COV-9': 'write a route of that name, which says of which groups what is held takes approvals',
  'COV-10': 'put more people into the groups, or let the route take fewer approvals',
  'SCH-1': 'set additionalProperties to false there',
  'SCH-2': 'rewrite it with type, properties, required, enum, const, bounds, lengths, items and anyOf',
  'SCH-3': 'bound it: maxLength, minimum and maximum, maxItems, or enum',
  'SCH-4': 'constrain a path of the schema, made of names without a dot and through objects only',
  'SCH-5': 'correct the schema: its keywords exclude each other',
  'CAT-1': 'review the operation; where it changes nothing, say so with the effect "none"',
  'CAT-2': 'let somebody else review the catalog and put it in force again',
  'CAT-3': 'compare the tool with what was reviewed, then commit to its hash in tool_schema_hash',
  'ACT-1': 'register the actuator that the catalog names, with all allowed operations',
  'ACT-2': 'register the real actuator in its place',
  'ACT-3': 'remove the actuator, or allow its system',
  'IDM-1': 'use a downstream that honours the key and say key_honoured, in the catalog and the registration',
  'IDM-2': 'set key_retention_ms to what the downstream keeps, or shorten the retries',
  'IDM-3': 'add a lookup to the registration of the actuator',
  'DEP-1': 'configure a key that signs audits',
  'DEP-2': 'keep the tenant database in a directory or a server that outlives the process',
  'DEP-3': 'start a worker',
}

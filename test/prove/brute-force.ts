import { type Proposal, proposalSchema, riskLevels } from '../../shared/contract/action/proposal-schema.ts'
import type { Evaluation } from '../../shared/contract/action/verdict.ts'
import type { JsonObject, JsonValue } from '../../shared/contract/base/json.ts'
import type { OutcomeQuery, Where } from '../../shared/contract/configuration/verification-schema.ts'
import { type CompiledPolicy, compilePolicies } from '../../shared/gate/compiled-policy.ts'
import { evaluate } from '../../shared/gate/evaluate.ts'
import type { Subject } from '../../shared/policy-analysis/operations.ts'
import { anyOf, fitting } from './fitting.ts'
import { type Attempt, guided } from './guided.ts'
import type { Chance } from './random.ts'
import { constantsIn, operations, systems } from './random-case.ts'
import { names, scalar } from './random-values.ts'

// Shares nothing with the proof but the gate: descriptions are read here once more, and plainly.

const hash = `sha256:${'0'.repeat(64)}`
export const everySystem = [...systems, 'c', 'elsewhere']
const everyOperation = [...operations, 'z', 'otherwise']

export function gateOf({ policy, catalog, mode }: Subject): (proposal: Proposal) => Evaluation {
  const compiled: CompiledPolicy = compilePolicies({
    policy,
    policyRevision: 1,
    policyHash: hash,
    catalog: catalog && { catalog, revision: 1, hash },
    actuators: [],
    strict: mode === 'strict',
  })
  const withActuators: CompiledPolicy = {
    ...compiled,
    actuator: name => ({ name, kind: 'mock', settings: {} }),
  }
  return proposal => evaluate(proposal, withActuators)
}

export function matches(
  query: OutcomeQuery,
  { catalog }: Subject,
  decided: { proposal: Proposal; evaluation: Evaluation },
): boolean {
  const { proposal, evaluation } = decided
  const { target_system: system, operation, parameters } = proposal.action
  const entry = catalog?.operations.find(known => known.system === system && known.operation === operation)
  const scale = 'low medium high'
  const level = (name: string): number => scale.indexOf(name)
  const { effective_risk: effective, reversibility } = query
  const told = [
    query.system === undefined || query.system === system,
    query.operation === undefined || query.operation === operation,
    query.claimed_risk === undefined || query.claimed_risk.includes(proposal.risk.level),
    level(evaluation.effective_risk.level) >= level(effective?.min ?? 'low'),
    level(evaluation.effective_risk.level) <= level(effective?.max ?? 'high'),
    query.effects_any === undefined || query.effects_any.some(effect => entry?.effects.includes(effect)),
    reversibility === undefined ||
      (entry !== undefined && [reversibility].flat().includes(entry.reversibility)),
    query.catalogued === undefined || query.catalogued === (entry !== undefined),
    evaluation.decision === query.decision,
    ...Object.entries(query.where ?? {}).map(([path, asked]) => fits(asked, at(parameters, path))),
  ]
  return told.every(Boolean)
}

function fits(asked: Where, found: JsonValue | undefined): boolean {
  if (asked.present !== undefined && asked.present !== (found !== undefined)) return false
  if (asked.missing !== undefined && asked.missing !== (found === undefined)) return false
  if (asked.not !== undefined && fits(asked.not, found)) return false
  if (asked.equals !== undefined && !same(asked.equals, found)) return false
  if (asked.one_of !== undefined && !asked.one_of.some(one => same(one, found))) return false
  if (asked.min !== undefined && !(typeof found === 'number' && found >= asked.min)) return false
  return asked.max === undefined || (typeof found === 'number' && found <= asked.max)
}

function at(from: JsonValue | undefined, path: string): JsonValue | undefined {
  if (from === undefined || from === null || typeof from !== 'object' || Array.isArray(from)) return undefined
  const [name = '', ...rest] = path.split('.')
  const next = Object.entries(from).find(([member]) => member === name)?.[1]
  return rest.length === 0 ? next : at(next, rest.join('.'))
}

function same(left: JsonValue, right: JsonValue | undefined): boolean {
  return right !== undefined && plain(left) === plain(right)
}

function plain(json: JsonValue): string {
  if (Array.isArray(json)) return `[${json.map(plain).join()}]`
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  const members = Object.entries(json).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${plain(member)}`).join()}}`
}

/** Concrete proposals, made of what the documents mention, what lies beside it, and what fits schemas and conditions. */
export function* proposals(
  subjects: readonly Subject[],
  query: OutcomeQuery | null,
  options: { chance: Chance; count: number },
): Generator<Proposal> {
  const { chance, count } = options
  const documents = subjects.map(({ policy, catalog }) => [policy, catalog])
  const mentioned = distinct(constantsIn(JSON.parse(JSON.stringify([documents, query])))).filter(isSmall)
  const pool = [...mentioned, ...mentioned.flatMap(constant => beside(constant, chance))]
  for (let made = 0; made < count; made += 1) {
    const subject = chance.one(subjects)
    const attempt = chance.maybe(0.7)
      ? guided(subject, query, { pool, chance })
      : atRandom(subject, pool, chance)
    const proposal = proposalFor(attempt, chance)
    if (made > 20 || proposalSchema.safeParse(proposal).success) yield proposal
  }
}

function proposalFor({ system, operation, parameters }: Attempt, chance: Chance): Proposal {
  return {
    proposal_id: 'p-1',
    actor: { agent_id: 'agent' },
    summary: 'random',
    action: { target_system: system, operation, parameters },
    risk: { level: chance.one(riskLevels) },
  }
}

function atRandom({ catalog }: Subject, pool: readonly JsonValue[], chance: Chance): Attempt {
  const schemas = catalog?.operations.map(entry => entry.parameter_schema) ?? []
  return {
    system: chance.one(everySystem),
    operation: chance.one(everyOperation),
    parameters: randomParameters(pool, schemas, chance),
  }
}

function randomParameters(
  pool: readonly JsonValue[],
  schemas: readonly JsonObject[],
  chance: Chance,
): JsonObject {
  if (schemas.length > 0 && chance.maybe(0.6)) {
    const fitted = fitting(chance.one(schemas), pool, chance)
    const parameters = typeof fitted === 'object' && fitted !== null && !Array.isArray(fitted) ? fitted : {}
    if (chance.maybe(0.5)) return parameters
    return mutated({ ...parameters }, pool, chance)
  }
  const chosen = chance.some([...names, ...(chance.maybe(0.1) ? ['other'] : [])], 0.7)
  return Object.fromEntries(chosen.map(name => [name, anyOf(pool, chance)]))
}

function mutated(parameters: JsonObject, pool: readonly JsonValue[], chance: Chance): JsonObject {
  const name = chance.one(names)
  if (chance.maybe(0.3)) delete parameters[name]
  else parameters[name] = anyOf(pool, chance)
  return parameters
}

/** What differs a little. */
function beside(constant: JsonValue, chance: Chance): JsonValue[] {
  if (typeof constant === 'number')
    return [constant - 1, constant + 1, constant + 0.5, constant + 0.001, constant * 2]
  if (typeof constant === 'string')
    return constant.length < 12 ? [`${constant}x`, [...constant].slice(1).join('')] : []
  if (Array.isArray(constant)) return [[...constant, scalar(chance)], constant.slice(1)]
  if (constant === null || typeof constant !== 'object') return []
  const [first] = Object.keys(constant)
  const { [first ?? '']: _, ...rest } = constant
  return [rest, { ...constant, other: 1 }, { ...constant, [first ?? 'r']: scalar(chance) }]
}

function isSmall(constant: JsonValue): boolean {
  return JSON.stringify(constant).length <= 40
}

function distinct(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map(one => [plain(one), one])).values()]
}

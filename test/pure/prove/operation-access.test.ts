import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OperationAccess } from '../../../shared/contract/access/access-schema.ts'
import { accessLabels } from '../../../shared/contract/access/access-words.ts'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { Decision } from '../../../shared/contract/action/verdict.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { FreezeSelector } from '../../../shared/contract/configuration/freeze-schema.ts'
import { compileGrant } from '../../../shared/gate/bounded-grants.ts'
import { compilePolicies } from '../../../shared/gate/compiled-policy.ts'
import {
  type AccessRules,
  type AccessTarget,
  decideFor,
  exampleAccess,
  namedTargets,
} from '../../../shared/gate/operation-access.ts'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import { proveAccess } from '../../../shared/policy-analysis/verify/prove-access.ts'
import { proposals } from '../../prove/brute-force.ts'
import { type Chance, chanceOf } from '../../prove/random.ts'
import { randomSubject, systems } from '../../prove/random-case.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { answerTo, entryWith, policyWith, subjectOf } from './proof-case.ts'

const hash = `sha256:${'0'.repeat(64)}`
const payments: RegisteredActuator = { name: 'payments', kind: 'mock', settings: {} }

function rulesOf(
  { policy, catalog, mode }: Subject,
  actuators: readonly RegisteredActuator[],
  more: Partial<AccessRules> = {},
): AccessRules {
  const compiled = compilePolicies({
    policy,
    policyRevision: 1,
    policyHash: hash,
    catalog: catalog && { catalog, revision: 1, hash },
    actuators,
    strict: mode === 'strict',
  })
  return { policy, catalog, compiled, freezes: [], pauses: [], grants: [], key_id: null, ...more }
}

function accessTo(rules: AccessRules, target: AccessTarget): OperationAccess {
  const shown = exampleAccess(rules, target)
  if (shown) return shown
  const { answers, mismatches } = inOneGo(proveAccess({ rules, targets: [target], bodyLimit: 262_144 }))
  expect(mismatches).toEqual([])
  return answers[0] as OperationAccess
}

/** What comes of a refund, and why. */
function refund(subject: Subject, actuators = [payments], more: Partial<AccessRules> = {}): OperationAccess {
  const entry = subject.catalog?.operations.find(({ operation }) => operation === 'refund') ?? null
  return accessTo(rulesOf(subject, actuators, more), { system: 'payments', operation: 'refund', entry })
}

const amount = { amount: { type: 'number', minimum: 1 } }
const all = { system: null, operation: null, key_id: null }
const held = entryWith(amount, { minimum_risk: 'high' })

const http = (operations: object): RegisteredActuator =>
  ({
    name: 'payments',
    kind: 'http',
    settings: { base_url: 'https://shop.example', operations },
  }) as RegisteredActuator

describe('what comes of proposals for an operation', () => {
  it.each<[string, OperationAccess, string, string | null]>([
    ['runs alone', refund(subjectOf(policyWith({}))), 'allowed', null],
    [
      'is held by the risk of its entry',
      refund(subjectOf(policyWith({}), [held])),
      'held',
      'approval_required',
    ],
    [
      'is held by the threshold',
      refund(subjectOf(policyWith({}, { approval_required_at: 'low' }))),
      'held',
      'approval_required',
    ],
    ['has no actuator', refund(subjectOf(policyWith({})), []), 'denied', 'actuator_not_registered'],
    ['is not in the catalog', refund(subjectOf(policyWith({}), [])), 'denied', 'operation_not_in_catalog'],
    ['needs a catalog', refund(subjectOf(policyWith({}), null, 'strict')), 'denied', 'catalog_required'],
    [
      'is bound to another actuator',
      refund(
        subjectOf(policyWith({}), [entryWith(amount, { actuator: { name: 'payments', kind: 'http' } })]),
      ),
      'denied',
      'actuator_binding_mismatch',
    ],
    [
      'commits to a tool that is otherwise',
      refund(subjectOf(policyWith({}), [entryWith(amount, { tool_schema_hash: hash })])),
      'denied',
      'tool_schema_mismatch',
    ],
    ['is frozen', refund(subjectOf(policyWith({})), [payments], { freezes: [all] }), 'denied', 'frozen'],
    [
      'is frozen for another agent',
      refund(subjectOf(policyWith({})), [payments], {
        freezes: [{ ...all, key_id: 'agk_2' }],
        key_id: 'agk_1',
      }),
      'allowed',
      null,
    ],
    [
      'asks for what the schema does not know',
      refund(subjectOf(policyWith({ note: {} }), [entryWith(amount)])),
      'denied',
      'no_parameters',
    ],
    [
      'is bounded apart',
      refund(subjectOf(policyWith({ amount: { max: 0 } }), [entryWith(amount)])),
      'denied',
      'no_parameters',
    ],
    [
      'has a schema whose example is none',
      refund(
        subjectOf(policyWith({}), [
          entryWith(
            { a: { type: 'null' }, b: { type: 'null' } },
            {},
            { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
          ),
        ]),
      ),
      'allowed',
      null,
    ],
  ])('%s', (_, access, answer, code) => {
    expect([access.answer, access.code]).toEqual([answer, code])
  })

  it('is told apart from whether something executes it now', () => {
    const subject = subjectOf(policyWith({}))
    expect(refund(subject, [http({ read: {} })]).unavailable?.code).toBe('not_registered')
    expect(refund(subject, [http({ refund: {} })]).unavailable).toBeNull()
    expect(refund(subject, [payments], { pauses: [all] })).toMatchObject({
      answer: 'allowed',
      unavailable: { code: 'paused' },
    })
    expect(refund(subject, [payments], { freezes: [all], pauses: [all] }).unavailable).toBeNull()
  })

  it('names who decides and why, and a grant that lets calls pass', () => {
    const subject = subjectOf(policyWith({}), [held])
    const clause = {
      grant_id: 'grt_1',
      key_id: 'agk_1',
      system: 'payments',
      operation: 'refund',
      constraints: { amount: { required: true, max: 5 } },
      risk_max: 'high' as const,
      uses_max: 1,
      ends_at: '2027-01-01T00:00:00.000Z',
      policy_hash: hash,
      catalog_hash: hash,
    }
    const words =
      'A person approves every call before it runs. support-leads decides, since effective risk high is at or above the approval threshold high.'
    expect(refund(subject)).toMatchObject({ review_route: 'support-leads', message: words })
    const grants = [compileGrant(clause)]
    const told = (key_id: string | null) => refund(subject, [payments], { grants, key_id }).message
    expect([told(null), told('agk_1'), told('agk_2')]).toEqual([
      `${words} What a grant allows runs at once.`,
      `${words} What a grant allows runs at once.`,
      words,
    ])
  })
})

/** Random documents, of which some systems have no actuator and some operations are frozen. */
function randomRules(chance: Chance): { rules: AccessRules; subject: Subject } {
  const subject = randomSubject(chance, { outside: false })
  const actuators = chance
    .some(systems, 0.9)
    .map((name): RegisteredActuator => ({ name, kind: 'mock', settings: {} }))
  const freezes: FreezeSelector[] = chance.maybe(0.2) ? [{ ...all, system: chance.one(systems) }] : []
  return { subject, rules: rulesOf(subject, actuators, { freezes }) }
}

/** Of a witness of the proof, where there is one, and of proposals that were made for these documents, for one operation. */
function decisionsFor(
  { rules, subject }: ReturnType<typeof randomRules>,
  { system, operation }: AccessTarget,
  { made, answer }: { made: readonly Proposal[]; answer: OperationAccess['answer'] },
): Set<Decision> {
  const query = { decision: 'allow' as const, system, operation }
  const witness = answer === 'allowed' ? answerTo(subject, query).witness : undefined
  const tried = [...made, ...(witness ? [witness] : [])].map(proposal => ({
    ...proposal,
    action: { ...proposal.action, target_system: system, operation },
  }))
  return new Set(tried.map(proposal => decideFor(rules, proposal).decision))
}

/** What an answer says of the decisions of all proposals. */
const agrees: Readonly<Record<OperationAccess['answer'], (decisions: ReadonlySet<Decision>) => boolean>> = {
  denied: decisions => !decisions.has('allow') && !decisions.has('needs_approval'),
  held: decisions => !decisions.has('allow'),
  allowed: decisions => decisions.has('allow'),
  open: () => false,
}

describe('the answer about random documents', () => {
  it('is what proposals get', () => {
    const answered = Array.from({ length: 50 }, (_, at) => chanceOf(700_000_000 + at)).flatMap(chance => {
      const random = randomRules(chance)
      const made = [...proposals([random.subject], null, { chance, count: 60 })]
      return namedTargets({ ...random.subject, actuators: [] }).map(target => {
        const { answer, message } = accessTo(random.rules, target)
        const decisions = decisionsFor(random, target, { made, answer })
        return { answer, message, decisions: [...decisions], isTrue: agrees[answer](decisions) }
      })
    })
    expect(answered.filter(({ isTrue }) => !isTrue)).toEqual([])
    expect(new Set(answered.map(({ answer }) => answer))).toEqual(new Set(['allowed', 'held', 'denied']))
  })
})

it('the document names every answer in the words of the surfaces', () => {
  const document = readFileSync(join(repositoryRoot, 'api/docs/specification.md'), 'utf8')
  for (const [answer, words] of Object.entries(accessLabels))
    expect(document).toContain(`| \`${answer}\` | ${words} |`)
})

import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { hash } from 'node:crypto'
import { sealEntries } from '../../../shared/audit/event/seal.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import { parseStrictJson } from '../../../shared/canon/strict-json.ts'
import { type Proposal, proposalSchema } from '../../../shared/contract/action/proposal-schema.ts'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import {
  type CompiledPolicy,
  type CompileInput,
  compilePolicies,
} from '../../../shared/gate/compiled-policy.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { normalizePolicy } from '../../../shared/gate/normalize-policy.ts'
import { readCatalog } from '../../../shared/gate/read-documents.ts'
import type { BenchOptions } from '../bench.ts'
import { type Emit, note } from '../figure.ts'
import { handWrittenGate } from '../setup/hand-written-gate.ts'
import { peerGates } from '../setup/peer-gate.ts'
import {
  operationName,
  sampleActuators,
  sampleCatalog,
  samplePolicy,
  sampleProposal,
} from '../setup/sample.ts'
import { timeCode } from '../setup/time-code.ts'

const bench = 'gate'
const proposalsMin = 1024

/** What a decision costs without any server: the gate, the strict reading of a proposal, the sealing of its entries. */
export async function benchGate({ emit, quick }: BenchOptions): Promise<void> {
  const rounds = quick ? 101 : 401
  for (const operations of [1, 10, 1_000, 10_000]) timeVerdict(operations, rounds, emit)
  await timePeers(quick ? 51 : 201, emit)
  timeCatalog(rounds, emit)
  timeReading(rounds, emit)
  timeSealing(rounds, emit)
}

function timeVerdict(operations: number, rounds: number, emit: Emit): void {
  note(`gate: a verdict with ${operations} operations`)
  const compiled = compile(operations)
  const byHand = handWrittenGate(operations, compiled.policy)
  mustAgree(compiled, byHand)
  const proposals = scatteredProposals(operations)
  const proposalAt = (turn: number) => proposals[turn % proposals.length] as Proposal
  const { gate, floor } = timeCode(
    {
      gate: turn => evaluate(proposalAt(turn), compiled),
      floor: turn => byHand(proposalAt(turn)),
    },
    rounds,
  )
  emit({
    bench,
    figure: `verdict_${operations}_operations`,
    value: gate,
    unit: 'ns',
    floor,
    ratio: gate / floor,
    detail: { floor_is: 'a hand-written closure of the same four constraints, with the full verdict' },
  })
}

/** The same rules, decided by the engines that others use; these give no checks and no reasons. */
async function timePeers(rounds: number, emit: Emit): Promise<void> {
  const operations = 10
  note(`gate: casbin and cedar-wasm with ${operations} operations`)
  const compiled = compile(operations)
  const proposals = scatteredProposals(operations)
  const peers = await peerGates(operations)
  const gate = (turn: number) => evaluate(proposals[turn % proposals.length] as Proposal, compiled)
  for (const [name, { is, prepare }] of Object.entries(peers)) {
    mustDecideAlike(compiled, prepare)
    const prepared = proposals.map(prepare)
    const peer = (turn: number) => prepared[turn % prepared.length]?.()
    const { value, floor } = timeCode({ value: gate, floor: peer }, rounds)
    const detail = { operations, floor_is: is, times_faster: floor / value }
    const figure = `verdict_${operations}_operations_and_${name}`
    emit({ bench, figure, value, unit: 'ns', floor, ratio: value / floor, detail })
  }
}

function mustDecideAlike(compiled: CompiledPolicy, prepare: (proposal: Proposal) => () => boolean): void {
  for (const change of [
    {},
    { amount: 51 },
    { amount: 0 },
    { currency: 'CHF' },
    { mode: 'fast' },
    { order: {} },
  ]) {
    const proposal = sampleProposal('p-check', operationName(3))
    proposal.action.parameters = { ...proposal.action.parameters, ...change }
    strictEqual(
      prepare(proposal)(),
      evaluate(proposal, compiled).decision === 'allow',
      JSON.stringify(change),
    )
  }
}

/** With policy and catalog of 10,000 operations against 10: the same verdict; every schema is its own. */
function timeCatalog(rounds: number, emit: Emit): void {
  note('gate: a verdict with a catalog of 10 and of 10,000 operations')
  const few = withCatalog(10)
  const begun = performance.now()
  const many = withCatalog(10_000)
  const readMs = performance.now() - begun
  const heapBefore = process.memoryUsage().heapUsed
  for (const proposal of many.proposals) ok(evaluate(proposal, many.compiled).decision === 'allow')
  const firstMs = performance.now() - begun - readMs
  const heapMiB = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20
  const decide =
    ({ compiled, proposals }: typeof few) =>
    (turn: number) =>
      evaluate(proposals[turn % proposals.length] as Proposal, compiled)
  const { value, floor } = timeCode({ value: decide(many), floor: decide(few) }, rounds)
  const detail = {
    floor_is: 'the same with 10 operations',
    read_and_compile_ms: readMs,
    first_verdict_of_each_ms: firstMs,
    heap_of_all_schemas_mib: heapMiB,
  }
  const figure = 'verdict_catalog_10000_operations'
  emit({ bench, figure, value, unit: 'ns', floor, ratio: value / floor, detail })
}

function withCatalog(operations: number): { compiled: CompiledPolicy; proposals: Proposal[] } {
  const read = readCatalog(sampleCatalog(operations))
  ok(read.ok, 'the sample catalog is valid')
  const compiled = compile(operations, { catalog: read.catalog, revision: 1, hash: read.hash })
  const proposals = scatteredProposals(operations)
  return { compiled, proposals }
}

function compile(operations: number, catalog: CompileInput['catalog'] = null): CompiledPolicy {
  const normalized = normalizePolicy(samplePolicy(operations))
  ok(normalized.ok, 'the sample policy is valid')
  const { policy } = normalized
  const policyHash = documentHash('policy', canonicalJson(policy as unknown as JsonValue))
  const actuators = sampleActuators
  return compilePolicies({ policy, policyRevision: 1, policyHash, catalog, actuators, strict: false })
}

/** The floor must decide the same rules: passing, and with each constraint broken. */
function mustAgree(compiled: CompiledPolicy, byHand: (proposal: Proposal) => unknown): void {
  const changes: JsonObject[] = [
    {},
    { amount: 51 },
    { amount: 0 },
    { amount: 'twenty' },
    { currency: 'CHF' },
    { mode: 'fast' },
    { order: {} },
  ]
  for (const change of changes) {
    const proposal = sampleProposal('p-check', operationName(0))
    proposal.action.parameters = { ...proposal.action.parameters, ...change }
    deepStrictEqual(byHand(proposal), evaluate(proposal, compiled))
  }
  const empty = sampleProposal('p-check', operationName(0))
  empty.action.parameters = {}
  deepStrictEqual(byHand(empty), evaluate(empty, compiled))
}

/** Proposals that walk over all operations in no order and are otherwise the same. */
function scatteredProposals(operations: number): Proposal[] {
  const base = sampleProposal('p-1', operationName(0))
  return Array.from({ length: Math.max(proposalsMin, operations) }, (_, at) => {
    const operation = operationName((at * 7_919) % operations)
    return { ...base, action: { ...base.action, operation } }
  })
}

function timeReading(rounds: number, emit: Emit): void {
  note('gate: reading a proposal')
  const bytes = Buffer.from(JSON.stringify(sampleProposal('p-1', operationName(0))))
  const { strict, validated, parse, parseValidated } = timeCode(
    {
      strict: () => parseStrictJson(bytes),
      validated: () => proposalSchema.safeParse(strictValue(bytes)),
      parse: () => JSON.parse(bytes.toString('utf8')),
      parseValidated: () => proposalSchema.safeParse(JSON.parse(bytes.toString('utf8'))),
    },
    rounds,
  )
  const detail = { bytes: bytes.length, floor_is: 'JSON.parse of the same bytes' }
  emit({
    bench,
    figure: 'strict_read',
    value: strict,
    unit: 'ns',
    floor: parse,
    ratio: strict / parse,
    detail,
  })
  emit({
    bench,
    figure: 'strict_read_and_zod',
    value: validated,
    unit: 'ns',
    floor: parse,
    ratio: validated / parse,
    detail: { ...detail, json_parse_and_zod_ns: parseValidated },
  })
}

function strictValue(bytes: Uint8Array): JsonValue {
  const read = parseStrictJson(bytes)
  if (!read.ok) throw new Error(read.issue.message)
  return read.value
}

function timeSealing(rounds: number, emit: Emit): void {
  note('gate: sealing two entries')
  const input = sealInput()
  const texts = sealEntries(input).events.flatMap(({ text, payloadText }) => [text, payloadText])
  const { seal, floor } = timeCode(
    {
      seal: () => sealEntries(input),
      floor: () => texts.reduce((length, text) => length + hash('sha256', text).length, 0),
    },
    rounds,
  )
  emit({
    bench,
    figure: 'seal_two_entries',
    value: seal,
    unit: 'ns',
    floor,
    ratio: seal / floor,
    detail: {
      bytes: texts.join('').length,
      floor_is: 'SHA-256 of the four texts, given ready: no canonical form, commitment, leaf or root',
    },
  })
}

function sealInput(): Parameters<typeof sealEntries>[0] {
  const proposal = sampleProposal('p-1', operationName(0))
  const verdict = evaluate(proposal, compile(1))
  return {
    tenantId: 'bench',
    stream: 'action/act_01kafn0000000000000000000000000000000',
    at: '2025-11-20T00:00:00.000Z',
    priorLeaves: [],
    entries: [
      {
        kind: 'proposal_received',
        principal: { id: 'agk_aaaaaaaaaaaaaaaa', kind: 'agent' },
        payload: proposal as unknown as JsonObject,
        salt: Buffer.alloc(32, 1),
      },
      {
        kind: 'verdict',
        principal: { id: 'gate', kind: 'gate' },
        payload: verdict as unknown as JsonObject,
        salt: Buffer.alloc(32, 2),
      },
    ],
  }
}

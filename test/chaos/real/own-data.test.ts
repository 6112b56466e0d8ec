import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LedgerLine } from '../check/evidence.ts'
import { settleByOwnData } from './own-data.ts'
import { busyProgram, type ProgramLine, readProgramCalls } from './program-calls.ts'
import { answerOf } from './relay.ts'

const counts = (key: string, effects: number) => ({ graphql_http: new Map([[key, effects]]) })
const call = (n: number, answer: LedgerLine['answer']): LedgerLine => ({
  n,
  endpoint: 'graphql_http',
  honours_key: false,
  key: 'key',
  action_id: 'act_1',
  tenant_id: 'north',
  attempt: null,
  delivery: 1,
  request: 'POST /real/graphql/',
  parameters: { charge: 'ch_1' },
  script: 'ok',
  arrived: n,
  at: n,
  effect: answer === 'done',
  answer,
})

const effects = (lines: readonly LedgerLine[]): number[] =>
  lines.filter(({ effect }) => effect).map(({ n }) => n)

describe('what a server has by its own data', () => {
  it('makes an effect of a call that nobody answered', () => {
    expect(effects(settleByOwnData([call(1, 'unanswered')], counts('key', 1)))).toEqual([1])
    expect(effects(settleByOwnData([call(1, 'unanswered')], counts('other', 0)))).toEqual([])
  })

  it('goes to the call that was answered before one that was not', () => {
    const calls = [call(1, 'unanswered'), call(2, 'done')]
    expect(effects(settleByOwnData(calls, counts('key', 1)))).toEqual([2])
    expect(effects(settleByOwnData(calls, counts('key', 2)))).toEqual([1, 2])
  })

  it('denies an effect that was answered, and is not there', () => {
    expect(effects(settleByOwnData([call(1, 'done')], { graphql_http: new Map() }))).toEqual([])
  })

  it('shows an effect that nobody was seen asking for', () => {
    expect(effects(settleByOwnData([], counts('key', 1)))).toEqual([0])
    expect(effects(settleByOwnData([call(1, 'busy')], counts('key', 1)))).toEqual([1])
  })

  it('says nothing of a server that keeps none', () => {
    const line: LedgerLine = { ...call(1, 'done'), endpoint: 'mcp_everything' }
    expect(settleByOwnData([line], counts('key', 0))).toContainEqual(line)
  })
})

describe('what an answer says of a call', () => {
  const answered = (status: number, body: string) => ({ status, headers: {}, body: Buffer.from(body) })

  it.each([
    ['json', answered(201, '{"id":"key"}'), 'done'],
    ['json', answered(500, 'Error: Insert failed, duplicate id'), 'replayed'],
    ['json', answered(401, ''), 'refused'],
    ['graphql', answered(200, '{"data":{"ship":"on its way"}}'), 'done'],
    ['graphql', answered(200, '{"errors":[{"message":"no"}]}'), 'refused'],
    ['mcp', answered(200, 'data: {"result":{"content":[]},"id":1}'), 'done'],
    ['mcp', answered(400, '{"error":{"code":-32000}}'), 'refused'],
    ['mcp', 'away', 'busy'],
    ['mcp', 'broken', 'unanswered'],
  ] as const)('of %s (%#)', (what, answer, expected) => {
    expect(answerOf(what, answer)).toBe(expected)
  })
})

describe('what a program over stdio keeps of itself', () => {
  it('is a call with its answer, or one that nobody answered, in the order of time', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'program-calls-'))
    const called = (id: number, key: string, at: number): ProgramLine => ({
      what: 'call',
      id,
      key,
      parameters: {},
      at,
    })
    const text = (...lines: ProgramLine[]) => lines.map(line => `${JSON.stringify(line)}\n`).join('')
    try {
      const answered: ProgramLine = { what: 'answer', id: 1, done: true, at: 9 }
      const refused: ProgramLine = { what: 'answer', id: 2, done: false, at: 8 }
      await writeFile(
        join(directory, '0.jsonl'),
        text(called(1, 'late', 5), answered, called(2, 'no', 6), refused),
      )
      await writeFile(join(directory, '00.jsonl'), `${text(called(1, 'killed', 4))}{"what":"ans`)
      const lines = readProgramCalls(directory, 10)
      expect(lines.map(({ n, key, answer, effect }) => [n, key, answer, effect])).toEqual([
        [11, 'killed', 'unanswered', false],
        [12, 'late', 'done', true],
        [13, 'no', 'refused', false],
      ])
      expect(busyProgram(directory)).toBeNull()
      expect(readProgramCalls(join(directory, 'none'), 0)).toEqual([])
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

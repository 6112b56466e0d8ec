import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemProgram } from '../../support/helper-programs.ts'
import type { LedgerLine } from '../check/evidence.ts'

/** What a program keeps of itself: a call that it has read, or its answer. */
export type ProgramLine =
  | { what: 'call'; id: number | string; key: string; parameters: unknown; at: number }
  | { what: 'answer'; id: number | string; done: boolean; at: number }

interface ProgramCall {
  call: Extract<ProgramLine, { what: 'call' }>
  answer: Extract<ProgramLine, { what: 'answer' }> | undefined
}

/** A line that a killed program did not end is none. */
function callsIn(file: string): ProgramCall[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const read = lines.map(line => JSON.parse(line) as ProgramLine)
  const answers = new Map(read.flatMap(line => (line.what === 'answer' ? [[line.id, line] as const] : [])))
  return read.flatMap(line => (line.what === 'call' ? [{ call: line, answer: answers.get(line.id) }] : []))
}

function filesIn(directory: string): { pid: number; file: string }[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory).map(name => ({ pid: Number.parseInt(name, 10), file: join(directory, name) }))
}

/** The calls of all programs, as lines of the ledger behind those of the others. */
export function readProgramCalls(directory: string, after: number): LedgerLine[] {
  const calls = filesIn(directory).flatMap(({ file }) => callsIn(file))
  return calls
    .sort((one, other) => one.call.at - other.call.at)
    .map(({ call, answer }, place) => ({
      n: after + place + 1,
      endpoint: 'mcp_program',
      honours_key: false,
      key: call.key,
      action_id: null,
      tenant_id: null,
      attempt: null,
      delivery: 1,
      request: 'tools/call',
      parameters: call.parameters,
      script: 'ok',
      arrived: call.at,
      at: answer?.at ?? call.at,
      effect: answer?.done ?? false,
      answer: answerOf(answer),
    }))
}

function answerOf(answer: ProgramCall['answer']): LedgerLine['answer'] {
  if (answer === undefined) return 'unanswered'
  return answer.done ? 'done' : 'refused'
}

/** A program that lives and has calls under way, with their number; null where none has. */
export function busyProgram(directory: string): { pid: number; open: number } | null {
  for (const { pid, file } of filesIn(directory)) {
    const open = callsIn(file).filter(({ answer }) => answer === undefined).length
    if (open > 0 && isProgram(pid)) return { pid, open }
  }
  return null
}

/** Its number may be another process's by now. */
function isProgram(pid: number): boolean {
  try {
    const command = execFileSync(systemProgram('ps'), ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
    })
    return command.includes('everything-program-process')
  } catch {
    return false
  }
}

import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramLine } from './program-calls.ts'

/**
 * The reference server `everything` of the Model Context Protocol, over standard input and output: a worker starts it, and it
 * ends with that. It keeps each call that it reads before it is handled, and each answer before it is written.
 */
const directory = process.env.CALLS_DIRECTORY ?? ''
mkdirSync(directory, { recursive: true })
const file = join(directory, `${process.pid}.jsonl`)
const keep = (line: ProgramLine): void => appendFileSync(file, `${JSON.stringify(line)}\n`)
const called = new Set<number | string>()

interface Message {
  id?: number | string
  method?: string
  params?: { arguments?: object; _meta?: Record<string, unknown> }
  result?: { isError?: boolean }
}

/** Calls `read` with each message of a stream of lines. */
function inMessages(read: (message: Message) => void): (chunk: unknown) => void {
  let rest = ''
  return chunk => {
    const lines = `${rest}${String(chunk)}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') read(JSON.parse(line) as Message)
  }
}

const readRequests = inMessages(({ id, method, params }) => {
  if (method !== 'tools/call' || id === undefined) return
  called.add(id)
  const key = String(params?._meta?.['io.action-gate/idempotency-key'])
  keep({ what: 'call', id, key, parameters: params?.arguments ?? null, at: Date.now() })
})
const readAnswers = inMessages(({ id, method, result }) => {
  if (id === undefined || method !== undefined || !called.delete(id)) return
  keep({ what: 'answer', id, done: result !== undefined && result.isError !== true, at: Date.now() })
})

const emit = process.stdin.emit.bind(process.stdin)
process.stdin.emit = (event: string | symbol, ...given: unknown[]) => {
  if (event === 'data') readRequests(given[0])
  return emit(event as 'data', ...(given as [never]))
}
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = ((chunk: unknown, ...given: unknown[]) => {
  readAnswers(chunk)
  return write(chunk as string, ...(given as []))
}) as typeof process.stdout.write

const name = '@modelcontextprotocol/server-everything/dist/index.js'
process.argv[2] = 'stdio'
await import(name)

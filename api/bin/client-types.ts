#!/usr/bin/env node
import { writeFile } from 'node:fs/promises'
import { aboutCommand, readCommandLine } from '../../shared/command-line.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../shared/contract/base/json.ts'
import { operationTypes, type TypedOperation } from './operation-types.ts'

const usage = `npm run -s client:types -- --url URL --key KEY               types of what an agent's key may run
npm run -s client:types -- --url URL --key KEY --out FILE    writes them there
`

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const about = aboutCommand(args, usage)
  if (about !== null) {
    process.stdout.write(about)
    return
  }
  const { url, key, out } = readFlags(args)
  const text = operationTypes(await listOperations(url, key), url)
  if (out === undefined) process.stdout.write(text)
  else await writeFile(out, text)
}

function readFlags(args: readonly string[]): { url: string; key: string; out: string | undefined } {
  try {
    const flags = { url: { type: 'string' }, key: { type: 'string' }, out: { type: 'string' } } as const
    const { values, positionals } = readCommandLine(args, flags)
    const { url, key, out } = values
    if (url === undefined || key === undefined || positionals.length > 0)
      throw new Error('--url and --key are needed, and nothing beside the flags')
    return { url: new URL(url).href.replace(/\/+$/, ''), key, out }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}

/** Returns the operations of all tools that the service lists for the key, without the service's own tools. */
async function listOperations(url: string, key: string): Promise<TypedOperation[]> {
  const operations: TypedOperation[] = []
  for (let cursor: JsonValue | undefined; ; ) {
    const { tools, nextCursor } = await listTools(url, key, cursor)
    if (!Array.isArray(tools)) throw new Error(`${url}/mcp answered without a list of tools`)
    operations.push(...tools.flatMap(operationOf))
    if (typeof nextCursor !== 'string') return operations
    cursor = nextCursor
  }
}

const version = '2026-07-28'
const method = 'tools/list'

async function listTools(url: string, key: string, cursor: JsonValue | undefined): Promise<JsonObject> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'client-types', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { ...(cursor === undefined ? {} : { cursor }), _meta }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}/mcp answered ${response.status}: ${text}`)
  const answer: JsonValue = JSON.parse(text.startsWith('event:') ? (text.split('data: ').at(-1) ?? '') : text)
  if (isPlainObject(answer) && isPlainObject(answer.result)) return answer.result
  throw new Error(`${url}/mcp answered ${text}`)
}

const ofTheTool = 'action_gate_proposal_id'

function operationOf(tool: JsonValue): TypedOperation[] {
  if (!isPlainObject(tool) || !isPlainObject(tool._meta) || !isPlainObject(tool.inputSchema)) return []
  const named = tool._meta['io.action-gate/operation']
  if (!isPlainObject(named)) return []
  const { properties, ...schema } = tool.inputSchema
  const { [ofTheTool]: _ofTheTool, ...parameters } = isPlainObject(properties) ? properties : {}
  return [
    {
      system: String(named.system),
      operation: String(named.operation),
      title: String(tool.title),
      schema: { ...schema, properties: parameters },
    },
  ]
}

await main().catch((error: unknown) => {
  process.stderr.write(`no types were written: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

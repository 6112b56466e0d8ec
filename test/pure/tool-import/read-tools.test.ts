import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { readTools } from '../../../shared/tool-import/read-tools.ts'

const hash = `sha256:${'a'.repeat(64)}`
const read = (definition: JsonObject, name = 'read_file') =>
  readTools([{ name, hash, definition: { name, ...definition } }], { name: 'File Server' })

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

describe('a tool', () => {
  it('is proposed with its definition, its words and its hash', () => {
    const annotations = { title: 'Read a file', readOnlyHint: true }
    const tool = read({ description: 'Reads a file. Slowly.', inputSchema: path, annotations })
    expect(tool).toMatchObject({ system: 'file', title: 'File Server', refused: [] })
    expect(tool.operations).toEqual([
      {
        operation: 'read_file',
        source: 'read_file',
        title: 'Read a file',
        parameter_schema: { ...path, additionalProperties: false, description: 'Reads a file. Slowly.' },
        meaning: { effects: ['reads data'], minimum_risk: 'low', reversibility: 'reversible' },
        tool_schema_hash: hash,
        tool: { tool: 'read_file' },
        key_header: null,
        credentials: [],
        left_out: [],
      },
    ])
  })

  it('takes nothing where its schema names no members', () => {
    const empty = { type: 'object', additionalProperties: false, properties: {} }
    expect(read({ inputSchema: { type: 'object' } }).operations[0]?.parameter_schema).toEqual(empty)
    expect(read({ description: 'Pings.' }).operations[0]?.parameter_schema).toEqual({
      ...empty,
      description: 'Pings.',
    })
  })

  it.each<[string, JsonObject, string]>([
    ['write_file', {}, 'changes or deletes data high irreversible'],
    ['write_file', { destructiveHint: true }, 'changes or deletes data high irreversible'],
    ['add_note', { destructiveHint: false }, 'changes data medium compensatable'],
    ['read_file', { readOnlyHint: true, destructiveHint: true }, 'reads data low reversible'],
    ['delete_file', { readOnlyHint: true }, 'deletes data high irreversible'],
    ['list_payments', { readOnlyHint: true }, 'reads data low reversible'],
  ])('%s means what its author says, or worse (%#)', (name, annotations, expected) => {
    const [operation] = read({ inputSchema: path, annotations }, name).operations
    const { effects, minimum_risk, reversibility } = operation?.meaning ?? { effects: [] }
    expect(`${effects.join(', ')} ${minimum_risk} ${reversibility}`).toBe(expected)
  })

  it('is refused where its schema cannot be closed', () => {
    const open = { type: 'object', required: ['env'], properties: { env: { type: 'object' } } }
    expect(read({ inputSchema: open })).toMatchObject({
      operations: [],
      refused: [
        {
          operation: 'read_file',
          code: 'free_names',
          message: expect.stringContaining('env may have members'),
        },
      ],
    })
  })

  it('has a name that policies take, whatever its server calls it', () => {
    const tools = ['do it!', 'do it?', '…'].map(name => ({ name, hash, definition: { inputSchema: path } }))
    const { operations } = readTools(tools, { name: 'x' })
    expect(operations.map(({ operation, tool }) => [operation, tool?.tool])).toEqual([
      ['do_it', 'do it!'],
      ['do_it_2', 'do it?'],
      ['tool', '…'],
    ])
  })
})

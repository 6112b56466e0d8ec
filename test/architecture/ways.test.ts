import { describe, expect, test } from 'vitest'
import { filesOn, gapsOn, type Way, ways } from '../house/ways.ts'
import { readDocument } from '../support/documents.ts'
import { parseSource } from './source-tree.ts'

describe.each(ways)('the $what', way => {
  test('are as many as the bound allows', () => {
    expect(filesOn(way).length).toBeLessThanOrEqual(way.bound)
  })

  test('lead from one to the next, and the last has the SQL', () => {
    expect(gapsOn(way), 'correct the way in test/house/ways.ts, or take the layer out').toEqual([])
  })

  test('are in the table of contributing.md', () => {
    const document = readDocument('api/docs/contributing.md')
    expect(filesOn(way).filter(file => !document.includes(`\`${file}\``))).toEqual([])
  })
})

test('the table of endpoints is what the routes are made of', () => {
  const [way] = ways
  const [mount] = way?.steps ?? []
  const table = { file: 'shared/contract/endpoints/endpoints.ts', name: 'endpoints' }
  const rows = { file: way?.row.file ?? '', name: 'actionEndpoints' }
  expect(gapsOn({ ...(way as Way), steps: [mount ?? table, table, rows], sql: /submit_action/ })).toEqual([])
})

describe('a way', () => {
  const files: Record<string, string> = {
    'a/table.ts': 'export const table = { first: 1 }',
    'a/one.ts':
      "import { two as second } from '../b/two.ts'\nexport function one() { help() }\nconst help = () => second()",
    'b/two.ts': "const sql = 'insert into rows'\nexport const two = () => send(sql)",
  }
  const read = (file: string) => parseSource(file, files[file] ?? '')
  const way: Way = {
    what: 'files of an example',
    bound: 3,
    row: { file: 'a/table.ts', name: 'table.first' },
    steps: [
      { file: 'a/one.ts', name: 'one' },
      { file: 'b/two.ts', name: 'two' },
    ],
    sql: /insert into rows/,
  }

  test('has a file for its row and one for each step', () => {
    expect(filesOn(way)).toEqual(['a/table.ts', 'a/one.ts', 'b/two.ts'])
    expect(gapsOn(way, read)).toEqual([])
  })

  test.each<[string, Partial<Way>, string]>([
    ['a row that is gone', { row: { file: 'a/table.ts', name: 'table.other' } }, 'is not there'],
    ['a step that is gone', { steps: [{ file: 'a/one.ts', name: 'gone' }] }, 'is not there'],
    ['a step that leads elsewhere', { steps: [...way.steps].reverse() }, 'does not lead to'],
    ['an end without SQL', { sql: /update rows/ }, 'has no SQL'],
  ])('with %s has a gap', (_, other, gap) => {
    expect(gapsOn({ ...way, ...other }, read).join('\n')).toContain(gap)
  })
})

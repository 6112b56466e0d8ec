import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { productFolders, readSources } from '../architecture/source-tree.ts'
import { type Checked, createChecker, modelFolder } from './check-configuration.ts'
import { broken, correct, reached } from './configurations.ts'
import { findTools } from './find-tools.ts'
import { transactions } from './transactions.ts'

const tools = await findTools()
const missing = 'missing' in tools ? tools.missing : null
const checkMsMax = 300_000

describe.skipIf(missing !== null)(`the model${missing === null ? '' : ` (not checked: ${missing})`}`, () => {
  const small = [...correct, ...broken, ...reached].filter(({ big }) => !big)
  const results = new Map<string, Promise<Checked>>()

  beforeAll(() => {
    if ('missing' in tools) return
    const check = createChecker(tools)
    for (const configuration of small) results.set(configuration.name, check(configuration))
  })

  it.each(small)(
    '$name: $expected',
    async ({ name, expected }) => {
      const checked = await results.get(name)
      expect(checked?.found).toBe(expected)
      expect(checked?.states).toBeGreaterThan(0)
    },
    checkMsMax,
  )
})

describe('names', () => {
  const sources = readdirSync(modelFolder).filter(name => name.endsWith('.pml'))
  const model = sources.map(name => readFileSync(join(modelFolder, name), 'utf8')).join('\n')
  const inModel = namesIn(model, /\/\* tx: (\w+) \*\//g)
  const inCode = readSources(productFolders).flatMap(({ path, text }) =>
    [...text.matchAll(/^ \* model: (\w+)\n \*\/\nexport (?:async )?function (\w+)/gm)].map(
      ([, transaction, name]) => ({ transaction, file: path, name }),
    ),
  )

  it('every atomic block says which transaction, or which event of the world, it is', () => {
    const blocks = model.split('\n').filter(line => /^[^*]*\b(atomic|d_step)\b/.test(line))
    expect(blocks.length).toBeGreaterThan(30)
    expect(blocks.filter(line => !/(atomic|d_step) \{ \/\* (tx: \w+|world: .+) \*\/$/.test(line))).toEqual([])
  })

  it('the table has the transactions of the model, and no others', () => {
    expect(Object.keys(transactions).sort()).toEqual(inModel)
  })

  it('the code names the transactions of the table where the table says, and no others', () => {
    const expected = Object.entries(transactions).map(([transaction, at]) => ({ transaction, ...at }))
    expect(inCode.sort(byName)).toEqual(expected.sort(byName))
  })

  it('nothing else in the code claims to be in the model', () => {
    const claims = readSources(productFolders).flatMap(({ text }) => text.match(/\* model: /g) ?? [])
    expect(claims.length).toBe(inCode.length)
  })

  it('a broken configuration is a correct one but for a single flag', () => {
    const more = (flags: readonly string[], than: readonly string[]) =>
      than.every(flag => flags.includes(flag)) ? flags.filter(flag => !than.includes(flag)) : null
    const astray = broken.filter(
      ({ flags, liveness }) =>
        !correct.some(
          whole => whole.liveness === liveness && more(flags, whole.flags)?.filter(isBreak).length === 1,
        ),
    )
    expect(astray).toEqual([])
  })

  it('each configuration has its own name and the flags that the model asks for', () => {
    const all = [...correct, ...broken, ...reached]
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    const used = new Set(all.flatMap(({ flags }) => flags.map(flag => flag.split('=')[0])))
    const asked = [...used].filter(flag => !new RegExp(`^#(ifdef|ifndef|if) ${flag}\\b`, 'm').test(model))
    expect(asked.filter(flag => flag !== 'BACK')).toEqual([])
  })
})

function isBreak(flag: string): boolean {
  return !flag.startsWith('ONLY=')
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort()
}

function byName(
  one: { transaction?: string | undefined },
  other: { transaction?: string | undefined },
): number {
  return (one.transaction ?? '').localeCompare(other.transaction ?? '')
}

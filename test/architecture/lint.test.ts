import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFile } from '../support/package-file.ts'
import { repositoryRoot } from '../support/repository-root.ts'

test('format and lint', { timeout: 120_000 }, () => {
  const found = check(repositoryRoot).map(
    ({ category, message, location: { path, start } }) =>
      `${path}:${start?.line ?? 1} ${category} ${message}`,
  )
  expect(found, 'run "npm run format", then mend what is left').toEqual([])
})

test('the linter finds what the house rules forbid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  try {
    for (const name of ['.biome.json', '.gitignore'])
      copyFileSync(join(repositoryRoot, name), join(folder, name))
    for (const [path, text] of Object.entries(planted)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const found = check(folder).map(({ category, location: { path } }) => `${path} ${category}`)
    expect([...new Set(found)].sort()).toEqual(forbidden)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const lines = Array.from({ length: 71 }, (_, at) => `  later(${at})\n`).join('')

const planted = {
  'shared/Planted.ts': `import { later } from 'fs'
export * from './long.ts'
export default function planted(a: any) {
  a = a!.b
  console.log(a)
  try {
    later()
  } catch {}
  throw 'text'
}
`,
  'shared/long.ts': `export function long(later: (at: number) => void) {\n${lines}}
export const wide = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e]
`,
  'shared/promise.ts': `const work = async () => 1
export const start = () => {
  work()
  if (work()) return 1
  return  2
}
`,
  'test/left.test.ts': `import { test } from 'vitest'

test.only('one', () => {})
test.skip('two', () => {})
`,
}

const forbidden = [
  'shared/Planted.ts assist/source/organizeImports',
  'shared/Planted.ts lint/performance/noReExportAll',
  'shared/Planted.ts lint/style/noDefaultExport',
  'shared/Planted.ts lint/style/noNonNullAssertion',
  'shared/Planted.ts lint/style/noParameterAssign',
  'shared/Planted.ts lint/style/useFilenamingConvention',
  'shared/Planted.ts lint/style/useNodejsImportProtocol',
  'shared/Planted.ts lint/style/useThrowOnlyError',
  'shared/Planted.ts lint/suspicious/noConsole',
  'shared/Planted.ts lint/suspicious/noEmptyBlockStatements',
  'shared/Planted.ts lint/suspicious/noExplicitAny',
  'shared/long.ts lint/complexity/noExcessiveLinesPerFunction',
  'shared/long.ts lint/complexity/useMaxParams',
  'shared/promise.ts format',
  'shared/promise.ts lint/nursery/noFloatingPromises',
  'shared/promise.ts lint/nursery/noMisusedPromises',
  'test/left.test.ts lint/suspicious/noFocusedTests',
  'test/left.test.ts lint/suspicious/noSkippedTests',
]

interface Diagnostic {
  category: string
  severity: string
  message: string
  location: { path: string; start?: { line: number } }
}

function check(folder: string): Diagnostic[] {
  const biome = packageFile('@biomejs/biome', 'bin/biome')
  const options = ['--error-on-warnings', '--reporter=json', '--max-diagnostics=none']
  const { stdout, stderr, error } = spawnSync(process.execPath, [biome, 'check', ...options, folder], {
    cwd: folder,
    encoding: 'utf8',
  })
  const report = stdout.split('\n').find(line => line.startsWith('{'))
  if (error || report === undefined) throw new Error(`biome did not report: ${error ?? stderr}`)
  const { diagnostics } = JSON.parse(report) as { diagnostics: Diagnostic[] }
  return diagnostics.filter(({ severity }) => severity !== 'info')
}

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'

const checker = join(repositoryRoot, 'test/chaos/check')
/** Written from the audit definitions alone, for whoever does not trust the service. */
const independent = 'test/support/audit/independent-audit.ts'

it('the checker imports itself, a second reading of the audit, and Node alone', () => {
  const own = readdirSync(checker).map(name => join(checker, name))
  const reached = reach(own)
  expect(own.length).toBeGreaterThan(4)
  expect(reached.packages).toEqual(['node:crypto'])
  expect(reached.files).toEqual([...own.map(path => relative(repositoryRoot, path)), independent].sort())
})

/** Everything that files import, and what that imports, types too. */
function reach(from: readonly string[]): { files: string[]; packages: string[] } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = [...from]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = relative(repositoryRoot, path)
    if (files.has(file)) continue
    files.add(file)
    for (const { fileName } of ts.preProcessFile(readFileSync(path, 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) waiting.push(join(dirname(path), fileName))
      else packages.add(fileName)
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { repositoryRoot } from '../support/repository-root.ts'

/** Files of tests that import a source, itself or through others; by the source. */
export function createReach(): (file: string) => string[] {
  const imports = new Map<string, readonly string[]>()
  const importsOf = (file: string): readonly string[] => {
    const known = imports.get(file) ?? readImports(file)
    imports.set(file, known)
    return known
  }
  const tests = testFiles('test').map(test => ({ test, reached: reachedFrom(test, importsOf) }))
  return file => tests.filter(({ reached }) => reached.has(file)).map(({ test }) => test)
}

function reachedFrom(test: string, importsOf: (file: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set([test])
  for (const file of reached) for (const imported of importsOf(file)) reached.add(imported)
  return reached
}

/** Paths of the repository that a file imports, types too. */
function readImports(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(repositoryRoot, file), 'utf8'), true, true)
  return importedFiles
    .filter(({ fileName }) => /^\..*\.tsx?$/.test(fileName))
    .map(({ fileName }) => join(file, '..', fileName))
    .filter(path => exists(path))
}

function exists(path: string): boolean {
  return ts.sys.fileExists(join(repositoryRoot, path))
}

/** Rules about the text of the sources are no tests of what they do, and mutants are tried in a copy of their own. */
const apart = ['test/architecture', 'test/mutants']

function testFiles(folder: string): string[] {
  if (apart.includes(folder)) return []
  return readdirSync(join(repositoryRoot, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return testFiles(path)
    return path.endsWith('.test.ts') ? [path] : []
  })
}

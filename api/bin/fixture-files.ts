import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FixtureText } from '../../shared/gate/fixture/fixture.ts'

/**
 * Returns the fixture file at a path, or every *.json, *.yaml and *.yml below a directory, sorted by name, without
 * dot files and links to directories. Throws if it finds none.
 */
export function fixtureFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const found = filesBelow(path)
  if (found.length === 0) throw new Error(`${path}: holds no *.json, *.yaml or *.yml`)
  return found
}

export function readFixtureText(file: string): FixtureText {
  return { file, format: isYaml(file) ? 'yaml' : 'json', bytes: readFileSync(file) }
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      const isFile = entry.isFile() || (entry.isSymbolicLink() && statSync(path).isFile())
      return isFile && (isYaml(path) || extname(path) === '.json') ? [path] : []
    })
}

function isYaml(file: string): boolean {
  return ['.yaml', '.yml'].includes(extname(file).toLowerCase())
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'

/** Modules of Node that the verifier is made with: none of them can speak to another machine. */
const allowed = ['node:buffer', 'node:crypto', 'node:fs', 'node:util']

const { files, builtins, onDemand } = graphOf(join(repositoryRoot, 'dist/api/bin/service-audit-verify.js'))

it('the verifier and its imports, packages too, reach no network and no database', () => {
  expect([...builtins].sort()).toEqual(allowed)
  const packages = new Set(
    [...files].map(file => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(name => name),
  )
  expect([...packages]).toEqual(['zod'])
})

it('what talks to a database is loaded only where one is asked for', () => {
  expect([...onDemand]).toEqual(['./verify/verify-database.js'])
  expect([...files].filter(file => /\/(store|flow|runtime)\//.test(file))).toEqual([])
})

it('the whole graph was read', () => {
  const own = [...files].map(file => relative(repositoryRoot, file))
  expect(own).toContain('dist/shared/audit/verify/verify-export.js')
  expect(own).toContain('dist/shared/canon/ed25519.js')
  expect(own.filter(file => file.startsWith('dist/')).length).toBeGreaterThan(30)
  expect(own.filter(file => file.includes('node_modules/zod/')).length).toBeGreaterThan(5)
})

it('the verifier uses no network global, and loads no module by a computed name', () => {
  const speaks =
    /\b(fetch|WebSocket|EventSource|XMLHttpRequest|getBuiltinModule|createRequire)\b\s*[(.]|\brequire\(|\bimport\((?!['"])/
  const own = [...files].filter(file => !file.includes('node_modules'))
  expect(own.filter(file => speaks.test(codeOf(file)))).toEqual([])
})

interface Graph {
  /** Every file that is loaded with a program. */
  files: Set<string>
  /** Modules of Node among them. */
  builtins: Set<string>
  /** What is loaded later, if it comes to that. */
  onDemand: Set<string>
}

function graphOf(program: string): Graph {
  const files = new Set<string>()
  const builtins = new Set<string>()
  const onDemand = new Set<string>()
  const open = [program]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue
    files.add(file)
    const later = [...codeOf(file).matchAll(/\bimport\(['"]([^'"]+)['"]\)/g)].map(([, name = '']) => name)
    for (const name of later) onDemand.add(name)
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles) {
      if (later.includes(fileName)) continue
      const found = resolved(fileName, file)
      if (found.startsWith('node:')) builtins.add(found)
      else open.push(found)
    }
  }
  return { files, builtins, onDemand }
}

function resolved(specifier: string, from: string): string {
  if (specifier.startsWith('.')) return fileURLToPath(new URL(specifier, pathToFileURL(from)))
  const found = createRequire(from).resolve(specifier)
  return found.includes('/') ? found.replace(/\.cjs$/, '.js') : `node:${found.replace(/^node:/, '')}`
}

function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

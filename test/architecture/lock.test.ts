import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { packagePlaces } from '../security/production-packages.ts'

interface LockEntry {
  version?: string
  resolved?: string
  cpu?: string[]
  optionalDependencies?: Record<string, string>
}

/** Versions by name; an override may be for what one package brings alone. */
interface Pins {
  [name: string]: string | Pins
}

type Packages = Record<string, LockEntry>

describe.each(packagePlaces)('packages of $of', ({ place }) => {
  const { packages } = readJson(`${place}package-lock.json`) as { packages: Packages }
  const manifest = readJson(`${place}package.json`) as Record<string, Pins | undefined>

  test('every optional dependency that the lock names is in the lock', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter(name => !resolves(packages, path, name))
        .map(name => `${name}, wanted by ${path || 'package.json'}`),
    )
    const advice =
      'npm drops platform packages that the registry lacks, and then "npm ci" fails on other machines: ' +
      'choose a version of the parent whose platform packages are all there, and make the lock from nothing'
    expect(missing, advice).toEqual([])
  })

  test('package.json pins exact versions', () => {
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides']
    const pins = kinds.flatMap(kind => pinsOf(manifest[kind] ?? {}))
    expect(pins.length).toBeGreaterThan(3)
    expect(pins.filter(([, version]) => !/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
      [],
    )
  })

  test('the lock agrees with package.json', () => {
    const root = packages[''] as Record<string, unknown>
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      expect(root[kind]).toEqual(manifest[kind])
    }
  })

  test('the lock names no registry host', () => {
    const entries = Object.entries(packages)
    expect(entries.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path)).toEqual([])
  })
})

/** What `npm ci` brings before a first start: at most 300 MB, most of it compiled for one machine. */
describe('the first install', () => {
  const { packages } = readJson('package-lock.json') as { packages: Packages }
  const names = Object.keys(packages).map(nameOf)

  test('has no package compiled for a machine in two versions', () => {
    const compiled = Object.entries(packages).filter(([, entry]) => entry.cpu !== undefined)
    expect(compiled.length).toBeGreaterThan(10)
    const once = new Set<string>()
    const again = compiled.filter(([path]) => once.has(nameOf(path)) || !once.add(nameOf(path)))
    expect(again.map(([path, { version }]) => `${path} ${version}`)).toEqual([])
  })

  test('leaves out what only tests, types and the benchmark need', () => {
    expect(names).toContain('vite')
    const later = packagePlaces.filter(({ place }) => place !== '').flatMap(({ place }) => namesOf(place))
    expect(later).toContain('typescript')
    expect(later.filter(name => names.includes(name))).toEqual([])
  })
})

/** The package behind a path of the lock, the innermost. */
function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? ''
}

function namesOf(place: string): string[] {
  return Object.keys((readJson(`${place}package.json`) as { dependencies: Pins }).dependencies)
}

function pinsOf(pins: Pins): [string, string][] {
  return Object.entries(pins).flatMap(([name, pin]) =>
    typeof pin === 'string' ? [[name, pin] as [string, string]] : pinsOf(pin),
  )
}

/** Node's look-up: the package's own node_modules, then those of the packages around it. */
function resolves(packages: Packages, path: string, name: string): boolean {
  const at = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`
  if (at in packages) return true
  if (path === '') return false
  const parent = path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0))
  return resolves(packages, parent, name)
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
}

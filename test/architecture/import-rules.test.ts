import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { cruiseOptions, dependencyRules } from './dependency-cruiser.config.ts'
import { judge } from './exceptions.ts'
import { flowRooms, layers } from './import-table.ts'
import { listFiles, productFolders } from './source-tree.ts'

describe('who may import whom', () => {
  let found: ICruiseResult

  beforeAll(async () => {
    found = await cruiseTree(repositoryRoot, [...productFolders, 'drizzle', 'test'])
  }, 240_000)

  test.each(dependencyRules)('$name', ({ name = '', comment }) => {
    const violations = found.summary.violations
      .filter(violation => violation.rule.name === name)
      .map(({ from, to, cycle }) => {
        const circle = cycle?.map(step => step.name) ?? [to]
        return { file: from, to, shown: [from, ...circle].join(' → ') }
      })
    expect(judge(name, violations), comment).toEqual([])
  })

  test('the tree was read', () => {
    expect(found.modules.filter(({ source }) => source.startsWith('shared/')).length).toBeGreaterThan(50)
  })

  test('every file of the product is in one layer', () => {
    const files = listFiles(productFolders).filter(path => /\.(tsx?|mjs)$/.test(path))
    const astray = files.filter(path => layers.filter(layer => path.match(layer.files)).length !== 1)
    expect(astray, 'give its folder a row in import-table.ts, or move the file').toEqual([])
  })

  test('every package of production is imported by it', () => {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
    const imported = found.modules
      .filter(({ source }) => productFolders.some(folder => source.startsWith(`${folder}/`)))
      .flatMap(({ dependencies }) => dependencies.map(dependency => dependency.module))
    const idle = Object.keys(manifest.dependencies)
      .filter(name => !imported.some(module => module === name || module.startsWith(`${name}/`)))
      .map(name => ({ file: 'package.json', to: name, shown: name }))
    const advice = 'remove it from "dependencies", or move it to "devDependencies" if only tests use it'
    expect(judge('package-in-use', idle), advice).toEqual([])
  })
})

describe('every rule refuses what it is there for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-rules-'))
  let refused: string[]

  beforeAll(async () => {
    for (const [path, text] of Object.entries(plantedFiles())) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const { summary } = await cruiseTree(folder, [...productFolders, 'drizzle', 'test'])
    refused = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each(plantedViolations())('%s in %s', (rule, path) => {
    expect(refused).toContain(`${rule}: ${path}`)
  })

  test('none is left out', () => {
    const planted = new Set(plantedViolations().map(([rule]) => rule))
    expect(dependencyRules.map(({ name }) => name).filter(name => !planted.has(name ?? ''))).toEqual([])
  })

  test('what is allowed is not refused', () => {
    expect(refused.filter(violation => violation.includes('/allowed.ts'))).toEqual([])
  })
})

async function cruiseTree(baseDir: string, folders: readonly string[]): Promise<ICruiseResult> {
  const { output } = await cruise([...folders], { ...cruiseOptions, baseDir })
  return output as ICruiseResult
}

/** A rule and the planted file that breaks it. */
function plantedViolations(): [rule: string, path: string][] {
  return [...plantedInLayers(), ...plantedElsewhere].map(({ rule, path }) => [rule, path])
}

function plantedFiles(): Record<string, string> {
  const files: Record<string, string> = { ...surroundings }
  for (const { path, imports } of [...plantedInLayers(), ...plantedElsewhere, ...allowed]) {
    files[path] = `${files[path] ?? ''}${importsFrom(path, imports)}`
  }
  return files
}

function importsFrom(path: string, imports: readonly string[]): string {
  const specifiers = imports.map(to => (to.endsWith('.ts') ? `./${relative(dirname(path), to)}` : to))
  return specifiers.map(specifier => `import '${specifier}'\n`).join('')
}

/** Every layer refuses a file of test/, and the layers without Node refuse node:net. */
function plantedInLayers() {
  return layers.flatMap(({ name, files, node }) => {
    const path = files.replace(/[\^\\$]/g, '').replace(/\/$/, '/planted.ts')
    const ours = { rule: `${name}-imports`, path, imports: ['test/support/planted.ts'] }
    return node === null ? [ours] : [ours, { rule: `${name}-node`, path, imports: ['node:net'] }]
  })
}

const surroundings = {
  'package.json': JSON.stringify({ dependencies: { homeless: '1' }, devDependencies: { development: '1' } }),
  'node_modules/homeless/index.js': '',
  'node_modules/development/index.js': '',
  'test/support/planted.ts': 'export const planted = 1\n',
  'shared/store/schema/ledger-tables.ts': "import '../../lifecycle/transition.ts'\n",
  'shared/lifecycle/transition.ts': 'export const planted = 1\n',
  'worker/circle.ts': "import './arc.ts'\n",
}

const homeless = dependencyRules.flatMap(({ name = '' }) =>
  name.startsWith('home-of-') ? [name.slice('home-of-'.length)] : [],
)

const plantedElsewhere = [
  ...homeless.map(name => ({ rule: `home-of-${name}`, path: 'shared/audit/packages.ts', imports: [name] })),
  { rule: 'package-without-home', path: 'shared/audit/packages.ts', imports: ['homeless'] },
  { rule: 'no-development-package', path: 'shared/audit/packages.ts', imports: ['development'] },
  { rule: 'bundled-apart', path: 'worker/planted.ts', imports: ['api/web/planted.ts'] },
  { rule: 'pages-without-schemas', path: 'api/web/planted.ts', imports: ['shared/contract/base/json.ts'] },
  { rule: 'resolvable', path: 'shared/audit/packages.ts', imports: ['shared/audit/missing.ts'] },
  { rule: 'gate-imports', path: 'shared/gate/storing.ts', imports: ['shared/store/planted.ts'] },
  ...Object.keys(flowRooms).map(room => ({
    rule: `flow-${room}`,
    path: `shared/flow/${room}/verb.ts`,
    imports: ['shared/flow/planted.ts'],
  })),
  { rule: 'handlers-apart', path: 'api/handlers/one.ts', imports: ['api/handlers/planted.ts'] },
  { rule: 'one-state-table', path: 'shared/flow/verb.ts', imports: ['shared/lifecycle/transition.ts'] },
  { rule: 'tables-in-store', path: 'shared/flow/verb.ts', imports: ['shared/store/schema/ledger-tables.ts'] },
  { rule: 'programs-on-top', path: 'worker/planted.ts', imports: ['worker/bin/worker.ts'] },
  { rule: 'no-cycle', path: 'worker/arc.ts', imports: ['worker/circle.ts'] },
  { rule: 'no-orphan', path: 'worker/orphan.ts', imports: [] },
  { rule: 'in-use', path: 'worker/orphan.ts', imports: [] },
]

const allowed = [
  { path: 'worker/bin/worker.ts', imports: ['worker/bin/allowed.ts', 'shared/flow/allowed.ts'] },
  { path: 'worker/bin/allowed.ts', imports: ['shared/runtime/allowed.ts', 'node:net'] },
  { path: 'shared/runtime/allowed.ts', imports: ['shared/contract/allowed.ts', 'node:fs/promises'] },
  { path: 'shared/flow/allowed.ts', imports: ['shared/flow/core/context.ts', 'shared/store/allowed.ts'] },
  { path: 'shared/flow/core/context.ts', imports: ['shared/contract/allowed.ts', 'shared/canon/allowed.ts'] },
  { path: 'shared/store/allowed.ts', imports: ['shared/store/schema/ledger-tables.ts', 'shared/result.ts'] },
  { path: 'shared/canon/allowed.ts', imports: ['node:crypto', 'shared/contract/base/json.ts'] },
  { path: 'shared/contract/allowed.ts', imports: ['shared/contract/base/json.ts'] },
  { path: 'shared/contract/base/json.ts', imports: [] },
  { path: 'test/allowed.ts', imports: ['development', 'shared/store/schema/ledger-tables.ts', 'node:net'] },
]

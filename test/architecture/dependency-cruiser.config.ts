import type {
  ICruiseOptions,
  IReachabilityForbiddenRuleType,
  IRegularForbiddenRuleType,
} from 'dependency-cruiser'
import { bundled, flowRooms, type Layer, layers, packageHomes } from './import-table.ts'

type Rule = IRegularForbiddenRuleType | IReachabilityForbiddenRuleType
type Terms = Pick<IRegularForbiddenRuleType | IReachabilityForbiddenRuleType, 'from' | 'to'> & {
  comment: string
}

const product = '^(api|shared|worker)/'
const bins = '^(api|worker)/bin/'
/** What package.json starts, and what runs in a thread. */
const programs =
  '^(api/bin/(service|service-audit-verify|service-policy-check|service-tools|demo|client-types|check-node|ensure-built|build-web|bundle-programs|vite\\.config)|worker/bin/worker|shared/flow/tool/import-thread)\\.(ts|mjs|cjs)$'
/** What the bundler starts from, and what it puts in the place of files that need Node. */
const bundlerEntries =
  '^(api/web/(audit-verifier|notices-worker|lib/virtual\\.d|(app|admin|approve)/main|docs/(main|reference))|shared/canon/portable/portable-(buffer|digest|ed25519|utf8))\\.tsx?$'
/** Types of a package that has none. */
const declarations = '^shared/actuator/http-ece\\.d\\.ts$'
/** What other programs import. */
const published = '^shared/client/index\\.ts$'
const migrationGenerator = '^drizzle/drizzle\\.config\\.ts$'
const entries = [programs, bundlerEntries, declarations, published, migrationGenerator]

export const dependencyRules: readonly Rule[] = [
  ...layers.flatMap(layerRules),
  ...Object.entries(packageHomes).map(([name, home]) =>
    rule(`home-of-${name}`, {
      from: { path: product, pathNot: home },
      to: { path: packagePath(name) },
      comment: `${name} has one home, ${home}: use what that exports, or widen the table with a reason.`,
    }),
  ),
  rule('package-without-home', {
    from: { path: product },
    to: { path: 'node_modules/', pathNot: Object.keys(packageHomes).map(packagePath) },
    comment: 'Every package has one home, so that it can be replaced there: add a row to packageHomes.',
  }),
  rule('no-development-package', {
    from: { path: product, pathNot: bundled },
    to: { dependencyTypes: ['npm-dev'] },
    comment: 'This package is not installed in production: move it to "dependencies", or do without.',
  }),
  rule('bundled-apart', {
    from: { path: product, pathNot: bundled },
    to: { path: bundled },
    comment:
      'This is for browsers, with packages that are installed to build it only: the service does without.',
  }),
  ...Object.entries(flowRooms).map(([room, may]) =>
    rule(`flow-${room}`, {
      from: { path: `^shared/flow/${room}/` },
      to: { path: '^shared/flow/', pathNot: [room, ...may].map(name => `^shared/flow/${name}/`) },
      comment:
        'A room of flows uses only those below it: move what both need into core. See flowRooms in import-table.ts.',
    }),
  ),
  rule('pages-without-schemas', {
    from: { path: '^api/web/', pathNot: '\\.d\\.ts$' },
    to: {
      path: '^shared/contract/',
      pathNot: '^shared/contract/(base/(limits|bearer-name)|access/access-words|actuator-kind/kinds)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
    comment: 'This would bring the library of schemas into the first load of a page: import its types alone.',
  }),
  rule('handlers-apart', {
    from: { path: '^api/handlers/', pathNot: '/(handlers|(hosted|queue)-handlers)\\.ts$' },
    to: { path: '^api/handlers/', pathNot: '/handler\\.ts$' },
    comment:
      'Handlers never import each other: put what they share into a flow. Surfaces that show rows of others use theirs.',
  }),
  rule('one-state-table', {
    from: { path: product, pathNot: ['^shared/lifecycle/', '^shared/store/schema/ledger-tables\\.ts$'] },
    to: { path: '^shared/lifecycle/transition\\.ts$' },
    comment:
      'Only lifecycle moves an action: ask lifecycle/decide for a change, or lifecycle/status what may be done.',
  }),
  rule('tables-in-store', {
    from: { path: product, pathNot: '^shared/store/' },
    to: { path: '^shared/store/schema/' },
    comment: "Tables are the store's own: write the query there and export a function.",
  }),
  rule('programs-on-top', {
    from: { path: product, pathNot: bins },
    to: { path: bins },
    comment: 'A program is started, not imported: move what you need out of bin.',
  }),
  rule('no-cycle', {
    from: {},
    to: { circular: true },
    comment: 'These files import each other in a circle: move what both need into a third.',
  }),
  rule('no-orphan', {
    from: { orphan: true, pathNot: entries },
    to: {},
    comment: 'Nothing imports this file and it imports nothing: delete it.',
  }),
  rule('in-use', {
    from: { path: entries },
    to: { path: product, pathNot: entries, reachable: false },
    comment:
      'No program reaches this file: delete it, move it to test/ if only tests use it, or add it to programs.',
  }),
  rule('resolvable', {
    // Programs for clients that a test generates beside them, and what packages of a folder of its own are for.
    from: { pathNot: '^test/(cases/clients|clients|bench/peers)/' },
    to: { couldNotResolve: true, pathNot: '^virtual:' },
    comment: 'There is no such file or package: correct the path, or add the package to package.json.',
  }),
]

/** How the tree is read: type imports count, packages are not followed, and those in test/ are none of its files. */
export const cruiseOptions: ICruiseOptions = {
  validate: true,
  ruleSet: { forbidden: [...dependencyRules] },
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^test/((bench|clients)/)?node_modules/' },
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
  },
}

function layerRules({ name, files, may, node, advice }: Layer): Rule[] {
  const comment = `${advice} See test/architecture/import-table.ts.`
  const ours = rule(`${name}-imports`, {
    from: { path: files },
    to: {
      path: '^(api|dist|drizzle|shared|test|worker)/',
      pathNot: [files, ...may, '^shared/result\\.ts$'],
    },
    comment,
  })
  if (node === null) return [ours]
  const allowed = node.length === 0 ? {} : { pathNot: `^(${node.join('|')})$` }
  return [
    ours,
    rule(`${name}-node`, { from: { path: files }, to: { dependencyTypes: ['core'], ...allowed }, comment }),
  ]
}

/** Installed here or linked from elsewhere, or only named when it is not installed. */
function packagePath(name: string): string {
  return `(^|/)node_modules/${name}/|^${name}(/|$)`
}

function rule(name: string, terms: Terms): Rule {
  return { name, severity: 'error', ...terms }
}

/** Folders whose tests attack the whole service, or attack the tests. */
const folders = ['chaos', 'clients', 'deploy', 'guards', 'model', 'mutants']

/** Bounds, long walks, random cases and faults of processes: what costs seconds, unless no other shows its rule. */
const files = {
  browser: [
    'base-path',
    'client',
    'deceiving',
    'documents',
    'every-page',
    'first-tool',
    'grants',
    'history',
    'issuer-journey',
    'members-journey',
    'notices',
    'numbers',
    'operators',
    'push',
    'reference',
    'slack',
    'slow-network',
    'tools-journey',
    'typing-forms',
    'typing-policy',
  ],
  'browser/deciding': ['deciding', 'deciding-everywhere', 'deciding-many', 'quorum', 'route', 'two-people'],
  contract: [
    'agreement',
    'ended-credentials',
    'generated-clients',
    'hostile-documents',
    'json-schema',
    'lint',
    'operations-platform',
    'random',
  ],
  platform: [
    'addresses',
    'api-faults',
    'balancer',
    'bare-path',
    'completion-crashes',
    'completion-failpoints',
    'configuration-crashes',
    'failpoints',
    'incidents',
    'killing-call',
    'poolers',
    'redis-faults',
    'restore',
    'rolling-restart',
    'start-order',
    'test-calls',
    'thousand',
    'tracing',
    'waiting-agents',
    'webhook-crashes',
    'worker-faults',
  ],
  'pure/actuator': ['mcp-programs'],
  'pure/audit': ['verify-mutations'],
  'pure/gate': ['catalog-properties', 'costly-judgement', 'properties', 'schema-properties'],
  'pure/prove': ['cross-check'],
  'pure/runtime': ['process-life'],
  'pure/tool-import': ['public-corpus'],
  'pure/web': ['audit-verifier'],
  security: ['process', 'shared-limits', 'timing'],
  'service/account': ['hosted-limits', 'hosted-sessions'],
  'service/action': ['plans'],
  'service/approval': ['approvals-together', 'held-bounds', 'inbox-speed', 'many-holds', 'review'],
  'service/client': ['lost-answers', 'package', 'types'],
  'service/edge': [
    'busy-clients',
    'command-lines',
    'costly-proposals',
    'document-walkthrough',
    'embedded-postgres',
    'hostile-clients',
    'limits',
    'migrate-step',
    'npm-start',
    'process-end',
    'service-process',
    'shared-counters',
    'start-fails',
    'start-mixes',
    'start-up-refused',
  ],
  'service/execution': [
    'connection-loss',
    'fairness',
    'lost-commit',
    'reconcile-fairness',
    'redis-loss',
    'worker-end',
    'worker-slots',
  ],
  'service/log': [
    'audit-tamper',
    'database-check',
    'in-force-check',
    'log-forged',
    'log-keeping',
    'log-rolled-back',
  ],
  'service/mcp': ['hundred-agents', 'mcp-terminal', 'reference-mcp-servers'],
  'service/policy': ['policy-under-load', 'proof-bounds', 'rules-bounds'],
  'service/tenant': ['admin-keys', 'integration', 'list-bounds', 'tenant-bounds'],
  'service/webhook': ['webhook-backlog'],
  store: ['kept-jobs', 'log-behind'],
}

export const machineFolders: readonly string[] = folders.map(folder => `test/${folder}`)

export const machineFiles: readonly string[] = Object.entries(files).flatMap(([folder, names]) =>
  names.map(name => `test/${folder}/${name}.test.ts`),
)

/** Files beside tests for people share a process as those do. The others start platforms and browsers, or attack a process. */
const sharesProcess = (file: string): boolean => /^test\/(contract|pure|service|store)\//.test(file)

export const patternsTogether: readonly string[] = machineFiles.filter(sharesProcess)

export const patternsAlone: readonly string[] = [
  ...machineFolders.map(folder => `${folder}/**/*.test.ts`),
  ...machineFiles.filter(file => !sharesProcess(file)),
]

/**
 * The tests that `npm run test:all` adds to `npm test`, as patterns: people wait minutes for every rule of the product,
 * machines wait longer for whatever tries to break it.
 */
export const machinePatterns: readonly string[] = [...patternsAlone, ...patternsTogether]

/** Folders whose tests attack the whole service, or attack the tests. */
const folders = ['chaos', 'clients', 'deploy', 'guards', 'model', 'mutants']

/** Bounds, long walks and faults of processes: a test of more than twelve seconds, unless no other shows its rule. */
const files = {
  browser: ['client', 'deceiving', 'deciding', 'documents', 'every-page', 'reference', 'slow-network'],
  contract: ['agreement', 'generated-clients', 'hostile-documents', 'json-schema', 'lint', 'random'],
  platform: [
    'api-faults',
    'failpoints',
    'incidents',
    'killing-call',
    'redis-faults',
    'restore',
    'rolling-restart',
    'start-order',
    'thousand',
    'webhook-crashes',
    'worker-faults',
  ],
  'pure/gate': ['costly-judgement'],
  'pure/runtime': ['process-life'],
  security: ['process', 'timing'],
  'service/account': ['hosted-limits', 'hosted-sessions'],
  'service/action': ['plans'],
  'service/approval': ['many-holds'],
  'service/client': ['lost-answers', 'package', 'types'],
  'service/edge': [
    'busy-clients',
    'command-lines',
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
  'service/execution': ['fairness', 'lost-commit', 'mcp-terminal', 'worker-end', 'worker-slots'],
  'service/log': ['database-check', 'in-force-check', 'log-forged', 'log-keeping', 'log-set-back'],
  'service/mcp': ['hundred-agents'],
  'service/policy': ['policy-under-load', 'proof-bounds', 'rules-bounds'],
  'service/tenant': ['admin-keys', 'integration', 'list-bounds', 'tenant-bounds'],
  store: ['kept-jobs', 'log-behind'],
}

export const machineFolders: readonly string[] = folders.map(folder => `test/${folder}`)

export const machineFiles: readonly string[] = Object.entries(files).flatMap(([folder, names]) =>
  names.map(name => `test/${folder}/${name}.test.ts`),
)

/**
 * The tests that `npm run test:all` adds to `npm test`, as patterns: people wait minutes for every rule of the product,
 * machines wait longer for whatever tries to break it.
 */
export const machinePatterns: readonly string[] = [
  ...machineFolders.map(folder => `${folder}/**/*.test.ts`),
  ...machineFiles,
]

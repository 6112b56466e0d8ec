/** Files that may import the same things: those that `files` matches. Patterns are regular expressions of paths. */
export interface Layer {
  name: string
  files: string
  /** Files of ours that it may import, besides its own folder and `shared/result.ts`. */
  may: readonly string[]
  /** Modules of Node that it may import; null: any. */
  node: readonly string[] | null
  /** What to do when an import is refused. */
  advice: string
}

const pure = 'This folder is data in, data out: pass what it needs as a value, from a flow.'

/** Who may import whom: the table of the architecture. */
export const layers: readonly Layer[] = [
  {
    name: 'result',
    files: '^shared/result\\.ts$',
    may: [],
    node: [],
    advice: 'A type that everything may use imports nothing.',
  },
  {
    name: 'command-line',
    files: '^shared/command-line\\.ts$',
    may: ['^shared/product-root\\.ts$'],
    node: ['fs', 'util'],
    advice: 'What every command has in common; the verifier too, which reaches nothing.',
  },
  {
    name: 'product-root',
    files: '^shared/product-root\\.ts$',
    may: [],
    node: ['fs'],
    advice: 'Where the files of the product lie; what is in them is for whoever reads them.',
  },
  {
    name: 'contract',
    files: '^shared/contract/',
    may: [],
    node: [],
    advice:
      'The contract is shapes and enums that everything may import, the browser too: it needs zod only.',
  },
  {
    name: 'client',
    files: '^shared/client/',
    may: [],
    node: [],
    advice:
      'The client is published alone and runs in browsers: it imports nothing, and its types are its own.',
  },
  {
    name: 'canon',
    files: '^shared/canon/',
    may: ['^shared/contract/base/json\\.ts$'],
    node: ['buffer', 'crypto'],
    advice: `${pure} Canonical bytes know JSON and digests, not what they are the bytes of.`,
  },
  {
    name: 'json-schema',
    files: '^shared/json-schema/',
    may: ['^shared/contract/', '^shared/canon/'],
    node: [],
    advice: `${pure} A schema judges parameters; what a verdict makes of that is the gate's.`,
  },
  {
    name: 'gate',
    files: '^shared/gate/',
    may: ['^shared/contract/', '^shared/canon/', '^shared/json-schema/'],
    node: [],
    advice: pure,
  },
  {
    name: 'lifecycle',
    files: '^shared/lifecycle/',
    may: ['^shared/contract/'],
    node: [],
    advice: pure,
  },
  {
    name: 'audit',
    files: '^shared/audit/',
    may: ['^shared/contract/', '^shared/canon/'],
    node: [],
    advice: `${pure} An auditor runs these files without a service.`,
  },
  {
    name: 'policy-analysis',
    files: '^shared/policy-analysis/',
    may: ['^shared/contract/', '^shared/canon/', '^shared/gate/', '^shared/json-schema/'],
    node: [],
    advice: pure,
  },
  {
    name: 'tool-import',
    files: '^shared/tool-import/',
    may: ['^shared/(contract|canon|json-schema)/', '^shared/gate/closed-schema\\.ts$'],
    node: [],
    advice: `${pure} A source was fetched by a flow, and another applies what is proposed of it.`,
  },
  {
    name: 'mcp',
    files: '^shared/mcp/',
    may: ['^shared/(contract|canon|gate|lifecycle)/'],
    node: [],
    advice: `${pure} Here is what an operation and an action look like to an MCP client.`,
  },
  {
    name: 'actuator',
    files: '^shared/actuator/',
    may: ['^shared/(contract|canon)/', '^shared/runtime/(clock|deadline|bounded-map|version)\\.ts$'],
    node: null,
    advice:
      'An actuator calls its downstream and says what came of it; policy, state and storage are elsewhere.',
  },
  {
    name: 'identity',
    files: '^shared/identity/',
    may: ['^shared/contract/'],
    node: ['buffer'],
    advice: 'Here issuers are asked who somebody is; whose account that is, a flow looks up.',
  },
  {
    name: 'store',
    files: '^shared/store/',
    may: [
      '^shared/contract/',
      '^shared/lifecycle/(change|transition|job)\\.ts$',
      // A URL of a database means the same to every driver, and settings refuse it by the same rules.
      '^shared/runtime/settings/postgres-address\\.ts$',
      '^shared/product-root\\.ts$',
    ],
    node: null,
    advice:
      'The store runs queries over rows it is given; what to write is decided above it, in lifecycle and flow.',
  },
  {
    name: 'runtime',
    files: '^shared/runtime/',
    may: ['^shared/contract/', '^shared/canon/', '^shared/command-line\\.ts$'],
    node: null,
    advice:
      'Runtime is the process and its surroundings; it knows nothing of actions, the gate or the store.',
  },
  {
    name: 'flow',
    files: '^shared/flow/',
    may: ['^shared/'],
    node: null,
    advice: 'A flow serves both processes: what is of HTTP or of the worker stays in api and worker.',
  },
  {
    name: 'handlers',
    files: '^api/handlers/',
    may: ['^shared/contract/', '^shared/flow/'],
    node: [],
    advice: 'A handler is one expression: translate, call a flow. Put the work into a flow and call that.',
  },
  {
    name: 'http',
    files: '^api/http/',
    may: [
      '^shared/contract/',
      '^shared/runtime/',
      '^api/handlers/',
      '^shared/flow/(core/(context|hold-author)|tenant/authenticate-key|account/(operator-)?sessions|mcp/(tool-books|rule-changes))\\.ts$',
      '^api/mcp/serve-mcp\\.ts$',
      '^shared/canon/(digest|strict-json)\\.ts$',
      '^shared/product-root\\.ts$',
    ],
    node: null,
    advice: 'HTTP reads requests and writes answers; verbs are reached through a handler.',
  },
  {
    name: 'mcp-server',
    files: '^api/mcp/',
    may: [
      '^shared/(contract|mcp|flow)/',
      '^shared/lifecycle/status\\.ts$',
      '^shared/runtime/(clock|version)\\.ts$',
      '^api/http/(reply|compressed)\\.ts$',
    ],
    node: [],
    advice: 'Messages of the Model Context Protocol are read and answered here; verbs are flows.',
  },
  {
    name: 'api-start',
    files: '^api/start-api\\.ts$',
    may: ['^api/http/(app|open-metrics)\\.ts$', '^shared/(flow|runtime)/'],
    node: null,
    advice: 'Starting the API is listening with the application of api/http/app.ts.',
  },
  {
    name: 'api-bin',
    files: '^api/bin/',
    may: [
      '^api/start-api\\.ts$',
      '^worker/(start-worker|load-actuators)\\.ts$',
      '^shared/(contract|flow|runtime)/',
      '^shared/gate/fixture/fixture\\.ts$',
      '^shared/(command-line|product-root)\\.ts$',
      '^api/web/search-options\\.ts$',
      '^shared/client/index\\.ts$',
      '^shared/audit/(verify/(verify-export|verify-event|verify-report|verification|read-export)|note/trusted-keys)\\.ts$',
    ],
    node: null,
    advice:
      'A program reads flags and settings, opens what it needs and starts it; put the rest into a flow.',
  },
  {
    name: 'worker',
    files: '^worker/',
    may: [
      '^shared/(contract|flow|runtime)/',
      '^shared/command-line\\.ts$',
      '^shared/actuator/(actuator|registry|recorded-text)\\.ts$',
    ],
    node: null,
    advice: 'The worker decides when; what happens to an action is a flow.',
  },
  {
    name: 'web',
    files: '^api/web/',
    may: [
      '^shared/contract/',
      '^shared/canon/(canonical-json|decimal|strict-reader)\\.ts$',
      '^shared/lifecycle/(holder|status|told-values)\\.ts$',
      '^shared/audit/(event/audit-bytes|merkle/merkle|note/trusted-keys|verify/(verification|verify-export))\\.ts$',
    ],
    node: [],
    advice: 'This runs in a browser: it talks to the service over HTTP and shares only what is pure.',
  },
  {
    name: 'drizzle',
    files: '^drizzle/',
    may: [],
    node: [],
    advice: 'Migrations and their configuration stand alone.',
  },
]

/** The rooms of the flows, and those that each may use besides its own; the table has no circle. */
export const flowRooms: Readonly<Record<string, readonly string[]>> = {
  core: [],
  action: ['core', 'log'],
  secret: ['core'],
  execution: ['core', 'secret'],
  policy: ['core'],
  tenant: ['core', 'policy', 'execution', 'secret'],
  tool: ['core', 'policy', 'execution'],
  account: ['core', 'tenant'],
  log: ['core'],
  webhook: ['core', 'action'],
  slack: ['core', 'action', 'webhook', 'account'],
  'database-check': [],
  service: ['core', 'tenant'],
  mcp: ['core', 'action', 'policy', 'tenant'],
}

/** The only places that may import a package. */
export const packageHomes: Readonly<Record<string, string>> = {
  zod: '^(shared/contract/|shared/runtime/settings/(settings|setting|config|edge-settings|identity-settings)\\.ts$|api/http/read-input\\.ts$|api/web/(lib/call|verifier-settings)\\.ts$)',
  'zod-openapi': '^shared/contract/',
  yaml: '^shared/(contract/|canon/strict-yaml\\.ts$)',
  re2js: '^shared/(gate|json-schema)/',
  '@opentelemetry/api': '^shared/runtime/telemetry/trace-export\\.ts$',
  '@opentelemetry/exporter-trace-otlp-proto': '^shared/runtime/telemetry/trace-export\\.ts$',
  '@opentelemetry/resources': '^shared/runtime/telemetry/trace-export\\.ts$',
  '@opentelemetry/sdk-trace-base': '^shared/runtime/telemetry/trace-export\\.ts$',
  undici: '^shared/actuator/',
  '@smithy/signature-v4': '^shared/actuator/http/sign-aws\\.ts$',
  http_ece: '^shared/actuator/post-push\\.ts$',
  nodemailer: '^shared/actuator/send-mail\\.ts$',
  oauth4webapi: '^shared/actuator/http/request-token\\.ts$',
  'openid-client': '^shared/identity/',
  jose: '^shared/(identity/|actuator/post-push\\.ts$)',
  '@modelcontextprotocol/client': '^shared/actuator/mcp/',
  '@modelcontextprotocol/server': '^api/mcp/',
  'drizzle-orm': '^shared/store/',
  postgres: '^shared/store/',
  bullmq: '^shared/runtime/queue/(wake-up-queue|postgres-backend)\\.ts$',
  pg: '^shared/(runtime/queue/postgres-backend|store/postgres/(wire-exchange|location|transaction))\\.ts$',
  ioredis: '^shared/runtime/queue/(wake-up-queue|rate-store)\\.ts$',
  pino: '^shared/runtime/',
  'prom-client': '^shared/runtime/',
  express: '^api/http/',
  helmet: '^api/http/app\\.ts$',
  'express-rate-limit':
    '^(api/http/rate-limit|shared/runtime/(process/http-bounds|queue/(rate-store|token-bucket)))\\.ts$',
  '@node-rs/argon2': '^shared/runtime/secrets/password\\.ts$',
  react: '^api/web/',
  'react-dom': '^api/web/',
  'react-router': '^api/web/',
  '@base-ui/react': '^api/web/',
  '@tanstack/react-query': '^api/web/lib/query\\.tsx$',
  '@tanstack/react-virtual': '^api/web/',
  'eventsource-parser': '^api/web/lib/live\\.ts$',
  vite: '^api/bin/(vite\\.config|(build|bundle)-web|ensure-built)\\.(ts|mjs)$',
  rolldown: '^api/bin/bundle-programs\\.ts$',
  '@vitejs/plugin-react': '^api/bin/vite\\.config\\.ts$',
  '@tailwindcss/vite': '^api/bin/vite\\.config\\.ts$',
  marked: '^api/bin/docs/render-markdown\\.ts$',
  'github-slugger': '^api/bin/docs/render-markdown\\.ts$',
  'highlight.js': '^api/bin/docs/highlight\\.ts$',
  minisearch: '^(api/bin/docs/search-index|api/web/docs/search)\\.ts$',
  papaparse: '^api/web/lib/csv\\.ts$',
  '@noble/curves': '^shared/canon/portable/',
  '@noble/hashes': '^shared/canon/portable/',
  buffer: '^shared/canon/(portable/portable-buffer|utf8)\\.ts$',
}

/** Files that run in a browser only, or make what does: what they import is put into a bundle, and installed to build it. */
export const bundled =
  '^(api/web/|shared/canon/portable/|api/bin/(docs/|((bundle|build)-web|bundle-programs|vite\\.config)\\.ts$)|api/bin/ensure-built\\.mjs$)'

/** Each folder with a package.json, a lock and settings of npm of its own. */
export const packagePlaces = [
  { of: 'the product', place: '' },
  { of: 'the tests', place: 'test/' },
  { of: 'the benchmark', place: 'test/bench/' },
  { of: 'the frameworks of agents', place: 'test/clients/' },
] as const

/** What the service is made of in production, beside Node, and what each package is there for. */
export const productionPackages: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/client': 'calls tools of Model Context Protocol servers',
  '@modelcontextprotocol/server': 'answers clients of the Model Context Protocol',
  '@node-rs/argon2': 'hashes passwords of owners',
  '@opentelemetry/api': 'types and names of spans; loaded where spans are sent',
  '@opentelemetry/exporter-trace-otlp-proto': 'sends spans; loaded where a collector is configured',
  '@opentelemetry/resources': 'says whose spans they are; loaded with the exporter',
  '@opentelemetry/sdk-trace-base': 'samples and batches spans; loaded with the exporter',
  '@smithy/signature-v4': 'signs requests for AWS; loaded where an actuator does',
  bullmq: 'the doorbell between API and workers',
  'drizzle-orm': 'queries without hand-written SQL; migrations',
  express: 'HTTP routing',
  'express-rate-limit': 'limits on requests',
  helmet: 'security headers',
  http_ece: 'encrypts messages for browsers',
  ioredis: 'Redis, for the doorbell and shared limits',
  jose: 'checks logout tokens of issuers, signs for push services; openid-client has it too',
  'openid-client': 'signs people in at issuers of OpenID Connect',
  pg: 'transactions on Postgres, and the doorbell without Redis',
  pino: 'JSON logs',
  postgres: 'single statements on Postgres',
  'prom-client': 'metrics',
  nodemailer: 'e-mails to people who decide, over SMTP',
  oauth4webapi: 'access tokens of OAuth 2.0 for actuators',
  re2js: 'patterns of catalogs, in linear time',
  undici: 'connections of actuators, past the egress guard',
  yaml: 'policies and fixtures in YAML',
  zod: 'shapes of everything that comes in',
  'zod-openapi': 'the OpenAPI document from those shapes',
}

import { expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { parseStrictJson } from '../../../shared/canon/strict-json.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../../shared/contract/base/json.ts'
import { registeredActuatorSchema } from '../../../shared/contract/configuration/actuator-schema.ts'
import { catalogSchema } from '../../../shared/contract/configuration/catalog.ts'
import type { Policy } from '../../../shared/contract/configuration/policy.ts'
import { readCatalog } from '../../../shared/gate/read-documents.ts'
import { importSource, readText } from '../../../shared/tool-import/import-source.ts'
import { publicCorpus } from '../../support/openapi/public-corpus.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** What is told of each document: whole, refused in a sentence, or what is wrong with it. */
interface Read {
  operations: number
  proposed: number
  refused: string[]
  whole: string | null
  wrong: string[]
}

/**
 * Every document is read, and what it proposes is taken by the schemas that a PUT asks: registration, catalog, and the strict
 * reader of its body. Nothing is lost: each operation is proposed or refused with a reason.
 */
it('every public document applies as it is proposed, and loses no operation', async () => {
  const began = performance.now()
  const corpus = await publicCorpus()
  expect(corpus.length).toBeGreaterThan(2_600)
  const reads = new Map<string, Read>()
  for (const { name, text } of corpus) reads.set(name, readDocument(await text()))
  const all = [...reads.values()]
  const wrong = [...reads].flatMap(([name, read]) => read.wrong.map(what => `${name}: ${what}`))
  const sum = (of: (read: Read) => number) => all.reduce((total, read) => total + of(read), 0)
  const tally = (codes: readonly string[]) =>
    [...new Set(codes)]
      .map(code => [code, codes.filter(one => one === code).length] as const)
      .sort(([, one], [, other]) => other - one)
  const codes = tally(all.flatMap(({ refused }) => refused))
  const whole = tally(all.flatMap(read => read.whole ?? []))
  process.stderr.write(
    `public corpus: ${all.length} documents, ${sum(({ operations }) => operations)} operations, ` +
      `${sum(({ proposed }) => proposed)} proposed, ${sum(({ refused }) => refused.length)} refused ` +
      `(${codes.map(([code, count]) => `${code} ${count}`).join(', ')}); ` +
      `documents refused: ${whole.map(([code, count]) => `${code} ${count}`).join(', ') || 'none'}; ` +
      `${Math.round((performance.now() - began) / 1_000)} s, ${Math.round(process.memoryUsage().rss / 1_048_576)} MiB\n`,
  )
  expect(wrong).toEqual([])
}, 900_000)

function readDocument(text: string): Read {
  const read = readText(text)
  const value = 'value' in read ? read.value : null
  const operations = operationsIn(value)
  const none = { operations, proposed: 0, refused: [], wrong: [] }
  const result = importSource({
    source: { kind: 'openapi', text, from: 'https://public.example/openapi.json' },
    documents: { policy, catalog: null, actuators: [] },
    ...{ system: null, base_url: null, only: null, credentials: 'workers' },
  })
  if (!('tool' in result)) return { ...none, whole: result.code }
  const { tool, refused } = result
  const proposed = tool.operations.length
  return {
    ...{ operations, proposed, whole: null },
    refused: refused.map(({ code }) => code),
    wrong: [
      ...(proposed + refused.length === operations
        ? []
        : [`${operations} are ${proposed} and ${refused.length}`]),
      ...problemsOf(tool.actuator, tool.operations),
    ],
  }
}

/** Operations of a document as OpenAPI counts them: those of a path that another one refers to are its own as well. */
function operationsIn(document: JsonValue): number {
  const paths = isPlainObject(document) && isPlainObject(document.paths) ? document.paths : {}
  const items = Object.entries(paths)
    .filter(([path]) => !path.startsWith('x-'))
    .map(([, item]) => ({ ...referred(paths, item), ...(isPlainObject(item) ? item : {}) }))
  return items.flatMap(item => methods.filter(method => isPlainObject((item as JsonObject)[method]))).length
}

function referred(paths: JsonObject, item: JsonValue | undefined): JsonObject {
  const [, name] = /^#\/paths\/(.+)$/.exec(isPlainObject(item) ? String(item.$ref) : '') ?? []
  const found = name === undefined ? undefined : paths[name.replaceAll('~1', '/').replaceAll('~0', '~')]
  return isPlainObject(found) ? found : {}
}

function problemsOf(actuator: object, operations: readonly object[]): string[] {
  const body = parseStrictJson(Buffer.from(JSON.stringify({ actuator, operations })))
  const registered = registeredActuatorSchema.safeParse(actuator)
  const catalog = { operations } as unknown as JsonObject
  const entered = catalogSchema.safeParse(catalog)
  const read = readCatalog(catalog)
  return [
    ...(body.ok ? [] : [`${body.issue.path}: ${body.issue.message}`]),
    ...(registered.error?.issues ?? [])
      .slice(0, 2)
      .map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(entered.error?.issues ?? []).slice(0, 2).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(read.ok ? [] : read.issues.slice(0, 2).map(issue => canonicalJson(issue as unknown as JsonValue))),
  ]
}

const policy: Policy = {
  allowed_systems: [],
  allowed_operations: {},
  parameter_constraints: {},
  approval_required_at: 'high',
  review_route: 'operations',
}

import { parseStrictJson } from '../canon/strict-json.ts'
import { parseStrictYaml } from '../canon/strict-yaml.ts'
import type { Catalog } from '../contract/catalog.ts'
import type { Issue } from '../contract/errors.ts'
import { type FixtureCase, fixtureSchema } from '../contract/fixture.ts'
import { issuesOf } from '../contract/issues.ts'
import { isPlainObject, type JsonValue } from '../contract/json.ts'
import type { Policy } from '../contract/policy.ts'
import { type Result, refused } from '../result.ts'
import { readCatalog } from './read-catalog.ts'
import { readPolicy } from './read-policy.ts'

/** A fixture with its documents in normalized form. */
export interface ReadFixture {
  name: string
  policy: { document: Policy; hash: string }
  catalog: { document: Catalog; hash: string } | null
  strict: boolean
  cases: FixtureCase[]
}

export type FixtureFormat = 'json' | 'yaml'

/** Reads a fixture (specification.md#fixtures) with every problem at once, those of its policy and catalog included. */
export function readFixture(bytes: Uint8Array, format: FixtureFormat): Result<ReadFixture, Issue[]> {
  const text = format === 'yaml' ? parseStrictYaml(bytes) : parseStrictJson(bytes)
  if (!text.ok)
    return refused([{ path: text.issue.path, code: text.issue.code, message: text.issue.message }])
  const shape = fixtureSchema.safeParse(text.value)
  const policy = readPolicy(memberOf(text.value, 'policy'))
  const given = memberOf(text.value, 'catalog')
  const catalog = given === undefined ? null : readCatalog(given)
  if (shape.success && policy.ok && catalog?.ok !== false) {
    const { name, strict = false, cases } = shape.data
    return {
      ok: true,
      value: {
        name,
        policy: { document: policy.policy, hash: policy.hash },
        catalog: catalog && { document: catalog.catalog, hash: catalog.hash },
        strict,
        cases,
      },
    }
  }
  return refused([
    ...(shape.success ? [] : issuesOf(shape.error)),
    ...(policy.ok || !isPlainObject(memberOf(text.value, 'policy')) ? [] : below('policy', policy.issues)),
    ...(catalog === null || catalog.ok || !isPlainObject(given) ? [] : below('catalog', catalog.issues)),
  ])
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function below(name: string, issues: readonly Issue[]): Issue[] {
  return issues.map(issue => ({ ...issue, path: issue.path === '' ? name : `${name}.${issue.path}` }))
}

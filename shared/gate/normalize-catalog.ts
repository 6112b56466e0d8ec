import { canonicalJson } from '../canon/canonical-json.ts'
import { documentHash } from '../canon/digest.ts'
import type { Issue } from '../contract/base/errors.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { Slices } from '../contract/base/slices.ts'
import type { Catalog, CatalogOperation } from '../contract/configuration/catalog.ts'
import { catalogProblems, idleEntries } from './catalog-problems.ts'

/**
 * A normalized catalog. `hash` is `sha256:` and hex over its canonical JSON (specification.md#catalogs,
 * specification.md#audit-bytes).
 */
export type NormalizedCatalog =
  | { ok: true; catalog: Catalog; hash: string; warnings: Issue[] }
  | { ok: false; issues: Issue[] }

/**
 * Normalizes a catalog that has the right shape and passed `documentProblems`. Operations are sorted by system and
 * name, effects are sorted without duplicates, schemas are unchanged. Open schemas and duplicate operations are
 * errors; entries that admit nothing and keywords that check nothing are warnings.
 */
export function* normalizeCatalog(input: Catalog): Slices<NormalizedCatalog> {
  const { errors, warnings } = yield* catalogProblems(input.operations)
  if (errors.length > 0) return { ok: false, issues: errors }
  const canonical = canonicalJson({ operations: input.operations.map(normalEntry).sort(byOperation) })
  yield
  return {
    ok: true,
    // The catalog is parsed from the hashed text, so that the hash covers exactly the rules that decide.
    catalog: JSON.parse(canonical) as Catalog,
    hash: documentHash('catalog', canonical),
    warnings: [...warnings, ...idleEntries(input.operations)],
  }
}

function normalEntry({ execute_within_ms, ...entry }: CatalogOperation): CatalogOperation & JsonObject {
  return {
    ...entry,
    effects: [...new Set(entry.effects)].sort(),
    ...(execute_within_ms === undefined ? {} : { execute_within_ms }),
  }
}

function byOperation(left: CatalogOperation, right: CatalogOperation): number {
  return order(left.system, right.system) || order(left.operation, right.operation)
}

function order(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

import { createBoundedMap } from '../../runtime/bounded-map.ts'
import type { Config } from '../../runtime/settings/config.ts'
import type { Store } from '../../store/postgres/open.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { type ActiveDocuments, compileRules, type Rules } from './compile-rules.ts'

export interface RulesCache {
  rules(tenantId: string): Promise<Rules | null>
  /** Drops rules that are out of date, so that a caller who awaits it and asks again gets newer ones. */
  forgetRules(tenantId: string, version: number): Promise<void>
}

/**
 * Compiles rules once per version, because a version never changes and every write checks that it is current. The
 * cache is bounded by bytes, so that many tenants with large documents do not exhaust memory.
 */
export function createRulesCache(
  store: Pick<Store, 'look'>,
  { strict, rules_bytes_max }: Pick<Config, 'strict' | 'rules_bytes_max'>,
): RulesCache {
  const cached = createBoundedMap<Promise<Rules | null>>(rules_bytes_max)

  const remember = (tenantId: string): Promise<Rules | null> => {
    let weight = 0
    const load = async (): Promise<Rules | null> => {
      const record = await store.look([tenantId], query => readActiveDocuments(query, tenantId))
      weight = record ? weightOf(record) : 0
      return record && compileRules(record, strict)
    }
    const loading = load()
    cached.put(tenantId, loading, 0)
    const keepIf = (rules: Rules | null): void => {
      if (cached.get(tenantId) !== loading) return
      if (rules === null) cached.forget(tenantId)
      else cached.put(tenantId, loading, weight)
    }
    loading.then(keepIf, () => keepIf(null))
    return loading
  }

  return {
    rules: tenantId => cached.get(tenantId) ?? remember(tenantId),
    async forgetRules(tenantId, version) {
      const current = cached.get(tenantId)
      await current?.then(
        rules => {
          if (rules?.version === version && cached.get(tenantId) === current) cached.forget(tenantId)
        },
        () => undefined,
      )
    },
  }
}

const bytesAtLeast = 4_096
/** Estimated bytes per value; a constraint has several values and compiles to much more. */
const bytesPerValue = { policy: 400, catalog: 60, actuators: 60, routes: 60, grants: 400 }

export function weightOf({ policy, catalog, actuators, routes, grants }: ActiveDocuments): number {
  return (
    bytesAtLeast +
    textWeight(policy.policy, bytesPerValue.policy) +
    textWeight(catalog?.catalog ?? '', bytesPerValue.catalog) +
    textWeight(JSON.stringify(actuators), bytesPerValue.actuators) +
    textWeight(JSON.stringify(routes), bytesPerValue.routes) +
    grants.reduce((sum, { clause }) => sum + textWeight(clause.toString('utf8'), bytesPerValue.grants), 0)
  )
}

/** Counts two bytes per character, and the values by the punctuation marks before them. */
function textWeight(text: string, perValue: number): number {
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === comma || sign === colon || sign === bracket || sign === brace) values += 1
  }
  return 2 * text.length + perValue * values
}

const [comma, colon, bracket, brace] = [0x2c, 0x3a, 0x5b, 0x7b]

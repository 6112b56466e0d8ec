import { ServiceError } from '../../contract/base/errors.ts'
import { makeBook, type ToolBook, toolTargets } from '../../mcp/tool-book.ts'
import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { rulesVersions } from '../../store/tenant/tenant-rows.ts'
import { type ActiveDocuments, compileRules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { accessRules, readAccess } from '../policy/read-access.ts'
import { gateMode, proofSubject } from '../policy/run-proof.ts'

export interface VersionedBook extends ToolBook {
  version: number
}

export interface ToolBooks {
  /** Returns the tools under the rules in force; a cached list costs one small query. */
  current(tenantId: string): Promise<VersionedBook>
  /**
   * Returns the cached tools for a call, which suffice because the gate decides the call by the rules in force.
   */
  known(tenantId: string): Promise<VersionedBook>
}

/** The cache of tool lists may take a quarter of the bytes of the cache of compiled rules. */
const shareOfRules = 4

export function createToolBooks(context: Context): ToolBooks {
  const kept = createBoundedMap<Promise<VersionedBook>>(context.config.rules_bytes_max / shareOfRules)
  const make = (tenantId: string): Promise<VersionedBook> => {
    const making = makeFor(context, tenantId)
    kept.put(tenantId, making, 0)
    making.then(
      ({ weight }) => kept.get(tenantId) === making && kept.put(tenantId, making, weight),
      () => kept.get(tenantId) === making && kept.forget(tenantId),
    )
    return making
  }
  return {
    known: tenantId => kept.get(tenantId) ?? make(tenantId),
    async current(tenantId) {
      const before = kept.get(tenantId)
      if (!before) return make(tenantId)
      const [book, versions] = await Promise.all([
        before,
        rulesVersions(context.store.readEach([tenantId]), [tenantId]),
      ])
      if (book.version === versions.get(tenantId)) return book
      if (kept.get(tenantId) === before) kept.forget(tenantId)
      return kept.get(tenantId) ?? make(tenantId)
    },
  }
}

async function makeFor(context: Context, tenantId: string): Promise<VersionedBook & { weight: number }> {
  const record = await context.store.look([tenantId], query => readActiveDocuments(query, tenantId))
  if (!record) throw new ServiceError('tenant_not_found', 'the tenant of this key does not exist')
  const subject = proofSubject(record, gateMode(context), {})
  const rules = compileRules(record, context.config.strict)
  const targets = toolTargets({ ...subject, actuators: record.actuators })
  // Pauses are left out, because they do not change the version by which a list is cached.
  const answers = await readAccess(context, accessRules(subject, rules, { pauses: [] }, null), targets)
  const book = makeBook(targets, answers, record.freezes)
  return { version: record.version, weight: bytesOf(record, book), ...book }
}

/** A parsed document takes about this many times the bytes of its text, a high estimate. */
const timesItsText = 4

function bytesOf({ policy, catalog }: ActiveDocuments, { pages }: ToolBook): number {
  const text = policy.policy.length + (catalog?.catalog.length ?? 0)
  return pages.reduce((sum, { bytes }) => sum + bytes.length, timesItsText * text)
}

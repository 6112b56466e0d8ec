import { ServiceError } from '../../contract/base/errors.ts'
import { makeBook, type ToolBook, toolTargets } from '../../mcp/tool-book.ts'
import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { rulesVersions } from '../../store/tenant/tenant-rows.ts'
import { type ActiveDocuments, compileRules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { accessRules, readAccess } from '../policy/read-access.ts'
import { gateMode, proofSubject } from '../policy/run-proof.ts'

/** A list of tools at one version of a tenant's rules. */
export interface VersionedBook extends ToolBook {
  version: number
}

export interface ToolBooks {
  /** The tools by the rules in force now: one small reading, where they are known already. */
  current(tenantId: string): Promise<VersionedBook>
  /** The tools as they were known last; for a call, which the gate decides by the rules in force anyway. */
  known(tenantId: string): Promise<VersionedBook>
}

/** Kept by the bytes of their documents, like compiled rules, of which they may take a quarter. */
const shareOfRules = 4

/** Lists of tools for this process, made once for each version of a tenant's rules. */
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
  // A pause changes no version of the rules, so a list that is kept does not tell of it.
  const answers = await readAccess(context, accessRules(subject, rules, { pauses: [] }, null), targets)
  const book = makeBook(targets, answers, record.freezes)
  return { version: record.version, weight: bytesOf(record, book), ...book }
}

/** What a parsed document takes, of its text: rather too much than too little. */
const timesItsText = 4

function bytesOf({ policy, catalog }: ActiveDocuments, { pages }: ToolBook): number {
  const text = policy.policy.length + (catalog?.catalog.length ?? 0)
  return pages.reduce((sum, { bytes }) => sum + bytes.length, timesItsText * text)
}

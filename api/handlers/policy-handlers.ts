import type { policyEndpoints } from '../../shared/contract/endpoints/policy-endpoints.ts'
import { createCatalog, listCatalogs, readCatalog, reviseCatalog } from '../../shared/flow/policy/catalogs.ts'
import { listRevisions, rollbackPolicy } from '../../shared/flow/policy/policies.ts'
import { replayPolicy } from '../../shared/flow/policy/replay-policy.ts'
import { checkPolicy } from '../../shared/flow/policy/try-drafts.ts'
import { expectedRevision, type Handlers, revisionTag } from './handler.ts'

type OwnedRows = 'list_policy_revisions' | 'check_policy' | 'read_catalog' | 'list_catalog_revisions'

export const policyHandlers: Handlers<typeof policyEndpoints, OwnedRows> = {
  async list_policy_revisions(context, { params, query }) {
    const { limit, cursor } = query
    return { status: 200, body: await listRevisions(context, params.tenant_id, { limit, cursor }) }
  },
  async rollback_policy(context, { params, body, principal: author }) {
    const note = body.change_note ?? null
    const state = await rollbackPolicy(context, { ...params, revision: body.revision, author, note })
    return { status: 200, body: state, headers: { etag: revisionTag(state.revision) } }
  },
  async check_policy(context, { params, body }) {
    return { status: 200, body: await checkPolicy(context, params.tenant_id, body) }
  },
  async replay_policy(context, { params, body }) {
    return { status: 200, body: await replayPolicy(context, params.tenant_id, body) }
  },
  async read_catalog(context, { params }) {
    const body = await readCatalog(context, params.tenant_id, 'current')
    return { status: 200, body, headers: { etag: revisionTag(body.revision) } }
  },
  async create_catalog(context, { params, body, principal: author }) {
    const made = await createCatalog(context, { ...params, body, author, expected: null })
    return { status: 201, body: made, headers: { etag: revisionTag(made.revision) } }
  },
  async revise_catalog(context, { params, body, principal: author, preferences }) {
    const expected = expectedRevision(preferences.if_match)
    const made = await reviseCatalog(context, { ...params, body, author, expected })
    return { status: 200, body: made, headers: { etag: revisionTag(made.revision) } }
  },
  async list_catalog_revisions(context, { params, query }) {
    const { limit, cursor } = query
    return { status: 200, body: await listCatalogs(context, params.tenant_id, { limit, cursor }) }
  },
  async read_catalog_revision(context, { params }) {
    return { status: 200, body: await readCatalog(context, params.tenant_id, params.revision) }
  },
}

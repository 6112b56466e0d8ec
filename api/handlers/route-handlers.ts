import type { routeEndpoints } from '../../shared/contract/endpoints/route-endpoints.ts'
import {
  declineAbsence,
  listAbsences,
  putAbsence,
  putOwnAbsence,
  readOwnAbsences,
} from '../../shared/flow/tenant/manage-absences.ts'
import { deleteGroup, listGroups, putGroup } from '../../shared/flow/tenant/manage-groups.ts'
import { deleteRoute, listRoutes, putRoute } from '../../shared/flow/tenant/manage-routes.ts'
import type { Handlers } from './handler.ts'

export const routeHandlers: Handlers<typeof routeEndpoints, keyof typeof routeEndpoints> = {
  async list_routes(context, { params }) {
    return { status: 200, body: await listRoutes(context, params.tenant_id) }
  },
  async put_route(context, { params, body: request, principal: author }) {
    return { status: 200, body: await putRoute(context, params, { request, author }) }
  },
  async delete_route(context, { params, principal: author }) {
    return { status: 200, body: { route: await deleteRoute(context, params, author) } }
  },
  async list_review_groups(context, { params }) {
    return { status: 200, body: await listGroups(context, params.tenant_id) }
  },
  async put_review_group(context, { params, body: request, principal: author }) {
    return { status: 200, body: await putGroup(context, params, { request, author }) }
  },
  async delete_review_group(context, { params, principal: author }) {
    return { status: 200, body: { group: await deleteGroup(context, params, author) } }
  },
  async list_absences(context, { params }) {
    return { status: 200, body: await listAbsences(context, params.tenant_id) }
  },
  async put_absence(context, { params, body: request, principal: author }) {
    return { status: 200, body: await putAbsence(context, params.tenant_id, { request, author }) }
  },
  async put_own_absence(context, { body: request, principal: author }) {
    return { status: 200, body: await putOwnAbsence(context, author.tenant_id, { request, author }) }
  },
  async read_own_absences(context, { principal }) {
    return { status: 200, body: await readOwnAbsences(context, principal.tenant_id, principal) }
  },
  async decline_absence(context, { body: { absent }, principal: author }) {
    return { status: 200, body: await declineAbsence(context, author.tenant_id, { absent, author }) }
  },
}

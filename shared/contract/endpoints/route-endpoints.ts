import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import {
  absenceListSchema,
  absenceRequestSchema,
  changedReviewGroupSchema,
  changedRouteSchema,
  declineRequestSchema,
  ownAbsenceRequestSchema,
  ownAbsencesSchema,
  reviewGroupListSchema,
  reviewGroupNameSchema,
  reviewGroupRequestSchema,
  reviewGroupSchema,
  routeListSchema,
  routeNameSchema,
  routeRequestSchema,
  routeSchema,
} from '../configuration/route-schema.ts'
import type { Endpoint } from './endpoint.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const routeParams = z.strictObject({ tenant_id: tenantIdSchema, name: routeNameSchema })
const groupParams = z.strictObject({ tenant_id: tenantIdSchema, name: reviewGroupNameSchema })

/** Rows of the endpoint table for approval routes, groups and absences (specification.md#routes). */
export const routeEndpoints = {
  list_routes: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/routes',
    access: 'admin',
    summary: 'Routes of a tenant: of which groups what is held takes approvals.',
    params: tenantParams,
    answers: { 200: { description: 'All, by name.', body: routeListSchema } },
    errors: ['tenant_not_found'],
  },
  put_route: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/routes/{name}',
    access: 'admin',
    summary: 'Write a route, or replace it, for future proposals.',
    description:
      'What is held keeps the route that its verdict froze. A group without people is named in `warnings`.',
    params: routeParams,
    body: routeRequestSchema,
    answers: { 200: { description: 'The route as it is now.', body: changedRouteSchema } },
    errors: ['tenant_not_found', 'group_not_found', 'too_many_routes'],
  },
  delete_route: {
    method: 'DELETE',
    path: '/v1/tenants/{tenant_id}/routes/{name}',
    access: 'admin',
    summary: 'Delete a route; any approver then decides what future proposals are held for.',
    params: routeParams,
    answers: { 200: { description: 'As it was.', body: z.strictObject({ route: routeSchema }) } },
    errors: ['tenant_not_found', 'route_not_found'],
  },
  list_review_groups: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/groups',
    access: 'admin',
    summary: 'Groups of people who approve.',
    params: tenantParams,
    answers: { 200: { description: 'All, by name.', body: reviewGroupListSchema } },
    errors: ['tenant_not_found'],
  },
  put_review_group: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/groups/{name}',
    access: 'admin',
    summary: 'Write a group with all of its people, or replace it.',
    description:
      'Who is in a group counts when they decide, also about what is held already. A group without people approves nothing.',
    params: groupParams,
    body: reviewGroupRequestSchema,
    answers: { 200: { description: 'The group as it is now.', body: changedReviewGroupSchema } },
    errors: ['tenant_not_found', 'group_conflict', 'too_many_groups'],
  },
  delete_review_group: {
    method: 'DELETE',
    path: '/v1/tenants/{tenant_id}/groups/{name}',
    access: 'admin',
    summary: 'Delete a group that no route names.',
    params: groupParams,
    answers: { 200: { description: 'As it was.', body: z.strictObject({ group: reviewGroupSchema }) } },
    errors: ['tenant_not_found', 'group_not_found', 'group_conflict', 'group_in_use'],
  },
  list_absences: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/absences',
    access: 'admin',
    summary: 'Who decides in whose place now.',
    params: tenantParams,
    answers: { 200: { description: 'Those under way, by holder.', body: absenceListSchema } },
    errors: ['tenant_not_found'],
  },
  put_absence: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/absences',
    access: 'admin',
    summary: 'Let somebody decide in the place of who is absent, until a time.',
    description:
      'The delegate counts for the groups of the absent person, never beside them, and never for a proposal of either.',
    params: tenantParams,
    body: absenceRequestSchema,
    answers: { 200: { description: 'Who decides in whose place now.', body: absenceListSchema } },
    errors: ['tenant_not_found'],
  },
  put_own_absence: {
    method: 'PUT',
    path: '/v1/absence',
    access: 'approver',
    summary: 'Let somebody decide in your place, until a time.',
    body: ownAbsenceRequestSchema,
    answers: { 200: { description: 'Who decides in whose place now.', body: absenceListSchema } },
    errors: [],
  },
  read_own_absences: {
    method: 'GET',
    path: '/v1/absence',
    access: 'approver',
    summary: 'Who decides in your place now, and in whose place you decide.',
    answers: { 200: { description: 'Those that name you.', body: ownAbsencesSchema } },
    errors: [],
  },
  decline_absence: {
    method: 'POST',
    path: '/v1/absence/decline',
    access: 'approver',
    summary: 'Decide in the place of an absent person no more.',
    description: 'It ends at once, for both. One that is over already is as good.',
    body: declineRequestSchema,
    answers: { 200: { description: 'Those that name you now.', body: ownAbsencesSchema } },
    errors: [],
  },
} as const satisfies Record<string, Endpoint>

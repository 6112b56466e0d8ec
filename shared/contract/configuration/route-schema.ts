import { z } from 'zod'
import { type Issue, warningsSchema } from '../base/errors.ts'
import { hashSchema, instantSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const nameProblem = 'must be of A-Za-z0-9._- and begin with a letter or digit'

/** A group's name. URL paths contain it. */
export const reviewGroupNameSchema = z
  .string()
  .max(limits.route_name_length_max)
  .regex(namePattern, nameProblem)
  .meta({
    id: 'ReviewGroupName',
    description: 'Name of a group: letters, digits and `._-`, at most 100 of them.',
    examples: ['payments-leads'],
  })

/** A route's name. `review_route` of a policy refers to it, and URL paths contain it. */
export const routeNameSchema = z
  .string()
  .max(limits.route_name_length_max)
  .regex(namePattern, nameProblem)
  .meta({
    id: 'RouteName',
    description: 'Name of a route, as `review_route` says it: letters, digits and `._-`, at most 100.',
    examples: ['support-leads'],
  })

export const routeDemandSchema = z
  .strictObject({
    group: reviewGroupNameSchema,
    approvals: z
      .int()
      .min(1)
      .max(limits.approvals_required_max)
      .describe('How many people of the group must approve.'),
  })
  .meta({ id: 'RouteDemand', description: 'How many people of a group must approve.' })
export type RouteDemand = z.infer<typeof routeDemandSchema>

const demandsSchema = z
  .array(routeDemandSchema)
  .min(1)
  .max(limits.route_groups_max)
  .describe('What it takes of each group; each person counts for one group.')

const decideWithinSchema = z
  .int()
  .min(1_000)
  .max(limits.approval_ttl_ms_max)
  .optional()
  .describe('How long the action waits, instead of the time of the tenant; milliseconds.')

export const escalationSchema = z
  .strictObject({
    after_ms: z
      .int()
      .min(1_000)
      .max(limits.approval_ttl_ms_max)
      .describe('How long the action waits before; milliseconds.'),
    group: reviewGroupNameSchema.describe('Its people may then approve for any group of the route.'),
  })
  .meta({ id: 'RouteEscalation', description: 'When which other group may approve as well.' })

const routeIssuerSchema = z
  .string()
  .min(1)
  .max(limits.webhook_url_length_max)
  .optional()
  .describe('Issuer of OpenID Connect at which whoever decides must have signed in; its `iss`.')

/**
 * The approvals that a held action needs. They are copied when the action is held and do not change later
 * (specification.md#routes).
 */
export const frozenRouteSchema = z
  .strictObject({
    name: z.string().describe('As `review_route` says it.'),
    required: demandsSchema,
    decide_within_ms: decideWithinSchema,
    escalate: escalationSchema.optional(),
    issuer: routeIssuerSchema,
    groups_without_members: z
      .array(z.string())
      .optional()
      .describe('Groups that had nobody when it was held: without people in them it cannot be approved.'),
  })
  .meta({
    id: 'FrozenRoute',
    description: 'Whose approvals the action takes, as the route was when the action was held.',
  })
export type FrozenRoute = z.infer<typeof frozenRouteSchema>

export const heldRouteSchema = z
  .strictObject({
    missing: z.array(routeDemandSchema).describe('Approvals that each group of the route still has to give.'),
    groups_without_members: z
      .array(z.string())
      .describe('Groups of the route that have nobody now: what is missing of them cannot be given.'),
    names_you: z.boolean().describe('Whether you may decide: the route has you, or whom you act for.'),
  })
  .meta({ id: 'HeldRoute', description: 'What a held action still takes on its route, and of whom.' })
export type HeldRoute = z.infer<typeof heldRouteSchema>

export const routeRequestSchema = z
  .strictObject({
    required: demandsSchema,
    decide_within_ms: decideWithinSchema,
    escalate: escalationSchema.optional(),
    issuer: routeIssuerSchema,
  })
  .refine(({ required }) => new Set(required.map(({ group }) => group)).size === required.length, {
    message: 'names a group twice',
    path: ['required'],
    params: { code: 'duplicate_group' },
  })
  .refine(({ required }) => demandOf(required) <= limits.approvals_required_max, {
    message: `takes more than ${limits.approvals_required_max} approvals in all`,
    path: ['required'],
    params: { code: 'too_many_approvals' },
  })
  .meta({
    id: 'RouteRequest',
    title: 'Route request',
    description: 'What a route takes: people of which groups, how soon, and who helps.',
  })
export type RouteRequest = z.infer<typeof routeRequestSchema>

export function demandOf(required: readonly RouteDemand[]): number {
  return required.reduce((sum, { approvals }) => sum + approvals, 0)
}

export const routeSchema = z
  .strictObject({
    name: routeNameSchema,
    required: demandsSchema,
    decide_within_ms: decideWithinSchema,
    escalate: escalationSchema.optional(),
    issuer: routeIssuerSchema,
    hash: hashSchema.describe('Of the route without this: a verdict and its approvals name it.'),
    groups_without_members: z
      .array(z.string())
      .describe('Groups that have nobody now: without people in them nothing can be approved.'),
    updated_at: timestampSchema,
  })
  .meta({ id: 'Route', title: 'Route', description: 'A route of a tenant, as it is now.' })
export type Route = z.infer<typeof routeSchema>

export const routeListSchema = z
  .strictObject({ routes: z.array(routeSchema).describe('By name.') })
  .meta({ id: 'RouteList', title: 'Routes', description: 'The routes of a tenant.' })

export const changedRouteSchema = routeSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'ChangedRoute', title: 'Changed route', description: 'The route as it is now.' })
export type ChangedRoute = z.infer<typeof changedRouteSchema>

export const reviewMemberRequestSchema = z
  .union([
    z.strictObject({
      key_id: z
        .string()
        .min(1)
        .max(limits.identifier_length_max)
        .describe('An approver key of the tenant: whoever holds it, with any key of theirs.'),
    }),
    z.strictObject({
      account_id: z
        .string()
        .min(1)
        .max(limits.identifier_length_max)
        .describe('An account of the organization that owns the tenant.'),
    }),
  ])
  .meta({ id: 'ReviewMemberRequest', description: 'A person by a key that they hold, or by their account.' })
export type GroupMemberRequest = z.infer<typeof reviewMemberRequestSchema>

export const reviewGroupRequestSchema = z
  .strictObject({
    members: z
      .array(reviewMemberRequestSchema)
      .max(limits.group_members_max)
      .describe('All of its people; a group may have nobody, and then approves nothing.'),
  })
  .meta({
    id: 'ReviewGroupRequest',
    title: 'Group request',
    description: 'The people of a group, all of them.',
  })
export type GroupRequest = z.infer<typeof reviewGroupRequestSchema>

export const reviewMemberSchema = z
  .strictObject({
    holder: z.string().describe('Who counts once, with whatever key or session: `account:…` or `name:…`.'),
    name: z.string().describe('Of the key or the account that the request named.'),
    key_id: z.string().nullable().describe('The key that the request named; null for an account.'),
    account_id: z.string().nullable().describe('The account that the request named; null for a key.'),
  })
  .meta({ id: 'ReviewMember', description: 'A person of a group.' })
export type GroupMember = z.infer<typeof reviewMemberSchema>

export const reviewGroupSchema = z
  .strictObject({
    name: reviewGroupNameSchema,
    members: z
      .array(reviewMemberSchema)
      .describe('In the order of the request; of a group of the organization by name.'),
    of_organization: z
      .boolean()
      .describe('Whether the organization keeps it, for all of its applications; it is changed there.'),
    updated_at: timestampSchema,
  })
  .meta({ id: 'ReviewGroup', title: 'Group', description: 'A group of people who approve.' })
export type Group = z.infer<typeof reviewGroupSchema>

export const reviewGroupListSchema = z
  .strictObject({ groups: z.array(reviewGroupSchema).describe('By name.') })
  .meta({ id: 'ReviewGroupList', title: 'Groups', description: 'The groups of a tenant.' })

export const changedReviewGroupSchema = reviewGroupSchema
  .extend({ warnings: warningsSchema })
  .meta({ id: 'ChangedReviewGroup', title: 'Changed group', description: 'The group as it is now.' })
export type ChangedGroup = Group & { warnings: Issue[] }

const untilSchema = instantSchema
  .nullable()
  .describe('Until when the other person decides in their place; null ends it now.')

export const ownAbsenceRequestSchema = z
  .strictObject({
    delegate: reviewMemberRequestSchema.describe('Who decides meanwhile.'),
    until: untilSchema,
  })
  .meta({
    id: 'OwnAbsenceRequest',
    title: 'Absence request',
    description: 'Who decides in your place, and until when.',
  })
export type OwnAbsenceRequest = z.infer<typeof ownAbsenceRequestSchema>

export const absenceRequestSchema = ownAbsenceRequestSchema
  .extend({ absent: reviewMemberRequestSchema.describe('Who is absent.') })
  .meta({
    id: 'AbsenceRequest',
    title: 'Absence request of another',
    description: 'Who is absent, who decides in their place, and until when.',
  })
export type AbsenceRequest = z.infer<typeof absenceRequestSchema>

const holderNameSchema = z.string()

export const declineRequestSchema = z
  .strictObject({
    absent: z
      .string()
      .min(1)
      .max(limits.holder_length_max)
      .describe('The holder who named you, as the list of absences has them.'),
  })
  .meta({
    id: 'DeclineRequest',
    title: 'Refusal to stand in',
    description: 'In whose place you do not decide.',
  })
export type DeclineRequest = z.infer<typeof declineRequestSchema>

export const absenceSchema = z
  .strictObject({
    absent: z.string().describe('The holder who is absent.'),
    absent_name: holderNameSchema.describe('What people call them.'),
    delegate: z.string().describe('The holder who decides in their place.'),
    delegate_name: holderNameSchema.describe('What people call them.'),
    until: timestampSchema.describe('When that ends.'),
  })
  .meta({ id: 'Absence', title: 'Absence', description: 'Who decides in whose place, and until when.' })
export type AbsenceState = z.infer<typeof absenceSchema>

export const ownAbsencesSchema = z
  .strictObject({
    own: absenceSchema.nullable().describe('Who decides in your place; null: nobody.'),
    acts_for: z.array(absenceSchema).describe('In whose place you decide, by holder.'),
  })
  .meta({
    id: 'OwnAbsences',
    title: 'Absences of one’s own',
    description: 'Who decides in your place now, and in whose place you decide.',
  })
export type OwnAbsences = z.infer<typeof ownAbsencesSchema>

export const absenceListSchema = z
  .strictObject({ absences: z.array(absenceSchema).describe('Those that are under way, by holder.') })
  .meta({ id: 'AbsenceList', title: 'Absences', description: 'Who decides in whose place now.' })
export type AbsenceList = z.infer<typeof absenceListSchema>

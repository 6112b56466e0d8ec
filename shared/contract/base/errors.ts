import { z } from 'zod'
import './issue-words.ts'
import { limits } from './limits.ts'

/** Every stable error code with its HTTP status and title (specification.md#errors). */
export const errorTable = {
  malformed_json: { status: 400, title: 'The body is not strict JSON' },
  validation_failed: { status: 400, title: 'The request does not meet its schema' },
  invalid_header: { status: 400, title: 'A header is malformed' },
  conflicting_credentials: { status: 400, title: 'Two different credentials in one request' },
  credential_required: { status: 401, title: 'An API key is required' },
  session_required: { status: 401, title: 'A session is required' },
  login_refused: { status: 401, title: 'Address or password is wrong' },
  slack_request_refused: { status: 401, title: 'The request is not of the Slack app of the tenant' },
  invalid_key: { status: 403, title: 'The API key is not valid' },
  key_revoked: { status: 403, title: 'The API key was revoked' },
  key_expired: { status: 403, title: 'The API key has expired' },
  sign_in_refused: { status: 403, title: 'The sign-in at the issuer does not hold' },
  logout_refused: { status: 400, title: 'The logout token does not hold' },
  identity_unknown: { status: 403, title: 'Nobody here is known by this identity' },
  not_on_route: { status: 403, title: 'The route of the action does not name you' },
  wrong_issuer: { status: 403, title: 'The route of the action asks for another sign-in' },
  not_the_proposer: { status: 403, title: 'The action was proposed with another key' },
  wrong_scope: { status: 403, title: 'The API key has another scope' },
  wrong_role: { status: 403, title: 'The account has no role that may do this' },
  csrf_refused: { status: 403, title: 'The CSRF token is missing or not that of the session' },
  cross_site_request: { status: 403, title: 'The request comes from another site' },
  not_found: { status: 404, title: 'Nothing is here' },
  tenant_not_found: { status: 404, title: 'No such tenant' },
  issuer_not_found: { status: 404, title: 'No such issuer' },
  identity_not_found: { status: 404, title: 'The account has no such identity' },
  member_not_found: { status: 404, title: 'The organization has no such member' },
  operator_not_found: { status: 404, title: 'No such operator' },
  invitation_not_found: { status: 404, title: 'No such invitation' },
  group_not_found: { status: 404, title: 'No such group' },
  key_not_found: { status: 404, title: 'No such key' },
  catalog_not_found: { status: 404, title: 'The tenant has no such catalog revision' },
  revision_not_found: { status: 404, title: 'No such revision' },
  checkpoint_not_found: { status: 404, title: 'There is no signed checkpoint' },
  freeze_not_found: { status: 404, title: 'Nothing is frozen by this selector' },
  tool_not_found: { status: 404, title: 'The tenant has no such tool' },
  webhook_not_found: { status: 404, title: 'No such webhook' },
  actuator_not_found: { status: 404, title: 'The tenant has no such actuator' },
  grant_not_found: { status: 404, title: 'The tenant has no such grant' },
  route_not_found: { status: 404, title: 'The tenant has no such route' },
  slack_app_not_found: { status: 404, title: 'The tenant has no Slack app' },
  reset_not_found: { status: 404, title: 'The link to choose a password is over' },
  secret_not_found: { status: 404, title: 'No such secret' },
  delivery_not_found: { status: 404, title: 'No such delivery' },
  action_not_found: { status: 404, title: 'No such action' },
  method_not_allowed: { status: 405, title: 'The path has no such method' },
  proposal_conflict: { status: 409, title: 'The proposal id stands for another proposal' },
  tenant_conflict: { status: 409, title: 'The tenant exists already' },
  account_conflict: { status: 409, title: 'The account exists already' },
  identity_taken: { status: 409, title: 'The identity is of another account' },
  last_identity: { status: 409, title: 'The identity is the last way into the account' },
  last_owner: { status: 409, title: 'The account is the last owner of the organization' },
  already_member: { status: 409, title: 'The person belongs to an organization already' },
  invitation_used: { status: 409, title: 'The invitation was accepted already' },
  invitation_ended: { status: 409, title: 'The invitation has ended' },
  group_conflict: { status: 409, title: 'The group exists already' },
  too_many_members: { status: 409, title: 'The organization has as many members as it may' },
  too_many_groups: { status: 409, title: 'There are as many groups as there may be' },
  last_admin_key: { status: 409, title: 'The admin key is the last that works' },
  action_not_approvable: { status: 409, title: 'The action cannot be approved or rejected' },
  approval_already_counted: { status: 409, title: 'An approval of the same holder counts already' },
  group_complete: { status: 409, title: 'The group has given all of its approvals' },
  own_proposal: { status: 409, title: 'Who proposed the action holds the key that approves it' },
  proposal_mismatch: { status: 409, title: 'The action holds another proposal' },
  request_mismatch: { status: 409, title: 'The action would send another request' },
  action_not_erasable: { status: 409, title: 'The action cannot be erased' },
  action_erased: { status: 410, title: 'The content of the action was erased' },
  action_not_resolvable: { status: 409, title: 'The outcome of the action is not unknown' },
  conflicting_evidence: { status: 409, title: 'Recorded evidence says the contrary' },
  catalog_conflict: { status: 409, title: 'The tenant has a catalog already' },
  verification_failed: { status: 409, title: 'The revision breaks what was proved' },
  stopped_by_operator: { status: 409, title: 'An operator stopped it' },
  mail_not_configured: { status: 409, title: 'The deployment sends no e-mail' },
  links_not_configured: { status: 409, title: 'The deployment has no address that links lead to' },
  webhooks_not_configured: { status: 409, title: 'The deployment has no key for webhooks' },
  secrets_not_configured: { status: 409, title: 'The deployment has no key for secrets' },
  secret_mismatch: { status: 409, title: 'The actuator is registered for other places' },
  too_many_keys: { status: 409, title: 'The tenant has as many keys as it may' },
  too_many_revisions: { status: 409, title: 'The revisions of the tenant have as many bytes as they may' },
  too_many_held: { status: 409, title: 'The held proposals of the tenant have as many bytes as they may' },
  edit_denied: { status: 409, title: 'The gate denies the edited action' },
  group_in_use: { status: 409, title: 'A route names the group' },
  too_many_routes: { status: 409, title: 'The tenant has as many routes as it may' },
  grant_not_proved: { status: 409, title: 'The grant is not proved to stay within its bounds' },
  too_many_grants: { status: 409, title: 'The tenant has as many grants as it may' },
  too_many_comments: { status: 409, title: 'The action has as many events as comments may fill' },
  too_many_webhooks: { status: 409, title: 'The tenant has as many webhooks as it may' },
  too_many_secrets: { status: 409, title: 'The tenant has as many secrets as it may' },
  too_many_freezes: { status: 409, title: 'The tenant has as many freezes and pauses as it may' },
  not_embedded: { status: 409, title: 'The service is not in embedded mode' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled' },
  frozen: { status: 409, title: 'The action is frozen' },
  concurrent_change: { status: 409, title: 'Another request changed it at the same time' },
  revision_mismatch: { status: 412, title: 'The revision is not the current one' },
  body_too_large: { status: 413, title: 'The body exceeds the limit' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json in UTF-8' },
  source_refused: { status: 422, title: 'The source cannot be imported' },
  too_many_streams: { status: 429, title: 'Too many streams are open' },
  too_many_proofs: { status: 429, title: 'Too many proofs are under way' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'The service failed' },
  issuer_unavailable: { status: 503, title: 'The issuer cannot be asked' },
  overloaded: { status: 503, title: 'Too much is under way' },
  storage_unavailable: { status: 503, title: 'Durable storage is not available' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorTable

export const issueSchema = z
  .strictObject({ path: z.string(), code: z.string(), message: z.string() })
  .meta({ id: 'Issue', description: 'One place in a document and what is to be said of it.' })
export type Issue = z.infer<typeof issueSchema>

function withoutTheRest(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - limits.problems_max
  if (more <= 0) return issues
  const others = {
    path: '',
    code: 'more_problems',
    message: `and ${more} more, or as many as were looked for`,
  }
  return [...issues.slice(0, limits.problems_max), others]
}

export const warningsSchema = z
  .array(issueSchema)
  .meta({ description: 'What is odd about the document, which is valid all the same.', examples: [[]] })

/** An error as `application/problem+json` (RFC 9457). */
export const problemSchema = z
  .strictObject({
    type: z.string().describe('The address of the paragraph about the code.'),
    title: z.string(),
    status: z.int().describe('The status of the answer.'),
    detail: z.string().describe('What was wrong with this request.'),
    code: z
      .enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
      .describe('Stable: programs may depend on it.'),
    request_id: z.string().describe('As in the header `X-Request-Id`.'),
    errors: z
      .array(issueSchema)
      .optional()
      .describe(
        'Every invalid place, all at once; of more than 100 the first, and how many more were found.',
      ),
  })
  .meta({ id: 'Problem', title: 'Problem', description: 'An error (RFC 9457).' })
export type Problem = z.infer<typeof problemSchema>

export function problemType(baseUrl: string, code: ErrorCode): string {
  return `${baseUrl}/docs/errors#${code}`
}

/** An error with a stable code; its `detail` may be shown to the caller. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly issues: readonly Issue[]

  constructor(code: ErrorCode, detail?: string, issues: readonly Issue[] = []) {
    super(detail ?? errorTable[code].title)
    this.name = 'ServiceError'
    this.code = code
    this.issues = withoutTheRest(issues)
  }
}

export function issuesOf(error: z.ZodError, prefix: readonly PropertyKey[] = []): Issue[] {
  return error.issues.flatMap(issue => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, limits.problems_max + 1).map(key => ({
        path: pathText([...path, key]),
        code: 'unknown_field',
        message: 'is not a known field',
      }))
    }
    return [{ path: pathText(path), code: codeOf(issue), message: issue.message }]
  })
}

/** Writes a path as `tenants[0].policy.review_route`. Names are cut at 100 characters, paths at 1,000. */
export function pathText(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`
    const name = String(step).slice(0, 100)
    return before === '' ? name : `${before}.${name}`
  }, '')
  return text.length > pathLengthMax ? `${text.slice(0, pathLengthMax)}…` : text
}

const pathLengthMax = 1_000

function codeOf(issue: z.core.$ZodIssue): string {
  const own: unknown = issue.code === 'custom' ? issue.params?.code : undefined
  return typeof own === 'string' ? own : issue.code
}

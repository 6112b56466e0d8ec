import type { ErrorCode } from './base/errors.ts'

/** Markdown advice for each error. The page at the `type` address of a problem shows it. */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  malformed_json:
    'The service reads JSON strictly. Names given twice, the name `__proto__`, lone surrogates and numbers that a double cannot hold are errors. `errors` has the place. Mend the body and send it again.',
  validation_failed:
    'The query or the body has a member that is missing, unknown or out of bounds. `errors` lists every such place at once. Mend them all; the shapes are at `/schemas/{name}.schema.json`.',
  source_refused:
    'The document or the server that tools were to be imported from cannot be read, or may not be reached. `detail` says why and what to do. Nothing was stored.',
  invalid_header:
    'A header of the request cannot be read: a second `Host`, an `Authorization` without a key, or a bad `Prefer`, `If-Match` or `Last-Event-ID`. `detail` names it.',
  conflicting_credentials: 'The request shows two credentials that differ. Send one of them alone.',
  credential_required:
    'The request has no API key where the path needs one. Send `Authorization: Bearer <key>` or `X-Service-API-Key`; paths of an operator take `X-Service-Admin-Key`.',
  session_required: 'The session of the dashboard or of the console is missing or has ended. Sign in again.',
  login_refused:
    'The address or the password is wrong; the answer does not say which. Check both. Too many failures in a row are refused for a while.',
  sign_in_refused:
    'What the issuer sent back does not hold, was used before, is older than ten minutes, or belongs to another browser. Begin again. Where it stays so, the log of the service has the reason.',
  logout_refused:
    'The token is not of this issuer for this client, is too old, was sent before, or tells of no logout. The log of the service has the reason.',
  slack_request_refused:
    'The signature is not of the signing secret of the tenant’s Slack app, the request is older than five minutes, or it came before. It may also be of another workspace. Compare workspace and signing secret, and the key `SERVICE_WEBHOOK_KEY`.',
  slack_app_not_found:
    'The tenant has no Slack app. An owner registers one on the page Routes of the dashboard.',
  identity_unknown:
    'The person proved who they are, and no account belongs to that identity. Create an organization at `/app/signup`, or sign in as you did before. Into the console, an operator is invited first.',
  invalid_key: 'No such key exists, or its secret is wrong. Check the key for a part that was cut off.',
  key_revoked: 'An operator or the owner revoked the key. Ask for a new one.',
  key_expired: 'The key was made with an end, and that has passed. Ask for a new one.',
  not_on_route:
    'The action takes decisions of certain groups, and you are in none of them. `verdict.route` names the groups. Ask one of their people to decide.',
  wrong_issuer:
    'The action takes decisions of people who signed in at one issuer; `verdict.route.issuer` names it. Sign in there, and decide again. A key decides nothing of it.',
  not_the_proposer:
    'Only the key that proposed an action may withdraw it. Use that key, or let an approver reject it.',
  wrong_scope:
    'The key is valid and its scope does not fit the path. An agent proposes, an approver decides, an admin operates. `detail` names the scope that fits.',
  wrong_role:
    'The account is a member with other roles, or the key carries another. `GET /v1/accounts/session` says which an account has. An owner of the organization gives more. Whoever is on call reads; an operator or an admin key changes.',
  csrf_refused:
    'A write of the dashboard needs the CSRF token of its session in `X-Service-CSRF`. Load the page again, or read the token at `GET /v1/accounts/session` or `GET /v1/operators/session`.',
  cross_site_request:
    'A browser sent the request from a page of another site. Call from the pages of the service. Behind a proxy, check that `SERVICE_BASE_URL` is the address that the browser shows.',
  not_found: 'The path is not one of this service. Compare it with the [API reference](/docs/api).',
  tenant_not_found: 'No tenant has this id, or it belongs to somebody else. List those that you may see.',
  issuer_not_found:
    'No issuer of this name is configured. `GET /v1/accounts/sign-in` lists them, and `GET /v1/operators/sign-in` those of the console.',
  identity_not_found:
    'The account is not linked to this identity. `GET /v1/accounts/identities` lists those that it is.',
  identity_taken:
    'Another account is opened by this identity, or it is an operator already. Sign in with it, and end the link there first.',
  last_owner: 'Without this owner nobody could manage the organization. Make another member an owner first.',
  already_member:
    'An account belongs to one organization. Sign out, and accept the invitation with another identity or a password.',
  invitation_used: 'An invitation is good once. Sign in as whom it made, or ask for a new one.',
  invitation_ended:
    'The invitation was revoked, is older than 72 hours, or whoever invited may do that no more. Ask for a new one.',
  reset_not_found:
    'A link to choose a password is good once, for 30 minutes, and a later one takes its place. Ask for a new one.',
  group_conflict:
    'A group has this name. Use it, or choose another name. A group of the organization is changed on its page Members.',
  too_many_members: 'Remove a member, or revoke an invitation: open ones count as members.',
  too_many_groups: 'Delete a group that nothing needs.',
  last_identity: 'Without this identity nobody could open the account. Link another one first.',
  member_not_found:
    'The organization has no member with this account. `GET /v1/accounts/members` lists them.',
  operator_not_found: 'No operator has this id, or it was removed. `GET /v1/operators` lists them.',
  invitation_not_found:
    'The link is not one of this service, or a part of it was cut off. Ask whoever invited for a new one.',
  group_not_found:
    'No group has this name. List the groups of the tenant, or those of the organization at `GET /v1/accounts/groups`.',
  key_not_found: 'No key has this id. List the keys of the tenant, or the admin keys.',
  catalog_not_found:
    'The tenant has no catalog, or not this revision of it. Create one with `POST`, or list the revisions.',
  revision_not_found: 'The document has no revision of this number. List the revisions.',
  checkpoint_not_found: 'Nothing of this tenant was signed yet. Ask again after its first action was sealed.',
  freeze_not_found: 'Nothing is frozen by exactly this selector. Read what is frozen, and lift one of these.',
  tool_not_found:
    'Neither an actuator, a catalog entry nor the policy of the tenant names this system. List its tools.',
  webhook_not_found: 'The tenant has no webhook of this id. List its webhooks.',
  actuator_not_found: 'The tenant has no actuator of this name. List its actuators, or register it first.',
  route_not_found: 'The tenant has no route of this name. List its routes.',
  grant_not_found: 'The tenant has no grant of this id. List its grants.',
  secret_not_found: 'The tenant has no secret of this name. List its secrets.',
  delivery_not_found: 'The webhook has no such delivery; deliveries are kept for 30 days. List them.',
  action_not_found:
    'The tenant of your key has no action of this id, or your key may not see it. An approver sees only what was held for a person.',
  method_not_allowed: 'The path exists and has other methods. The header `Allow` names them.',
  proposal_conflict:
    'An action with this `proposal_id` exists, and its content differs. Send the first content again to read the state of that action. Use a new `proposal_id` for a new action.',
  tenant_conflict: 'A tenant of this id exists. Choose another id, or go on with the one that is there.',
  account_conflict:
    'An account with this address exists, or the organization has a member whose name looks like it. Sign in, or use another address.',
  last_admin_key:
    'No other admin key works without an end, so nobody could operate the service. Mint another key first, or send `allow_last`.',
  action_not_approvable:
    'The action is not held any more: somebody decided, its time ran out, or it was never held. Read the action; its status says which.',
  approval_already_counted:
    'An approval by the same person counts already, with this key or another. A quorum needs another person.',
  group_complete:
    'Your group has given what the route takes of it. Somebody of another group must approve; `approvals` and `verdict.route` say which.',
  own_proposal:
    'The person who holds this key also holds the key that proposed the action. Another person must decide.',
  proposal_mismatch:
    'The action does not hold the proposal of the hash that you sent. Read the action again, and decide on what it holds.',
  request_mismatch:
    'The action would not send the request of the hash that you sent. Read the action again, and decide on the request that it would send.',
  action_not_erasable:
    'Only a settled action can be erased, and only once. Wait for its end; resolve an unknown outcome first.',
  action_erased:
    'An operator erased the content of the action. Its audit export is still there and still proves what happened.',
  action_not_resolvable:
    'The outcome of this action is not unknown, so there is nothing to resolve. Read its status.',
  conflicting_evidence:
    'A result that came late says the contrary of what you want to record. Read the trace, and find out which is true at the downstream.',
  catalog_conflict: 'The tenant has a catalog. Revise it with `PUT`.',
  verification_failed:
    'The new revision would allow what a verification proved to be impossible. `errors` has the questions that fail. Change the revision, or change what must hold first.',
  stopped_by_operator:
    'Whoever operates the service stopped this application, and alone lets it go on. Its freezes say why.',
  mail_not_configured:
    'The deployment sends no e-mail. Whoever operates it sets `SERVICE_SMTP_URL`, `SERVICE_MAIL_FROM` and an absolute `SERVICE_BASE_URL` for the API and the workers.',
  links_not_configured:
    'A message for people has a link. Whoever operates the service sets an absolute `SERVICE_BASE_URL` for the API and the workers.',
  webhooks_not_configured:
    'The deployment has no key that signs messages. Whoever operates it sets `SERVICE_WEBHOOK_KEY` for the API and the workers.',
  secrets_not_configured:
    'The deployment has no key that secrets are sealed to. Whoever operates it sets `SERVICE_SECRETS_PUBLIC_KEY` for the API and `SERVICE_SECRETS_KEY` for the workers.',
  secret_mismatch:
    'The version or the places that you sent are not those of the secret and its actuator now. List the secrets, look at where the actuator sends them, and send what you see.',
  too_many_keys: 'The tenant has as many keys as it may. Revoke one that nobody uses.',
  too_many_revisions:
    'The revisions of the tenant have as many bytes as they may in all. Use smaller documents, or a new tenant.',
  group_in_use: 'A route names this group. Change the route first, or give the group other people.',
  too_many_routes: 'The tenant has as many routes as it may. Delete one that no policy names.',
  grant_not_proved:
    'The grant would allow more than it says, or nothing, or this was not decided within the bounds of the proof. `errors` says why, with a proposal where one shows it. Bound the parameters that it names, or let a person decide.',
  too_many_grants: 'The tenant has as many grants in use as it may. Revoke one that is not needed.',
  too_many_webhooks: 'The tenant has as many webhooks as it may. Delete one first.',
  too_many_secrets: 'The tenant has as many secrets as it may. Delete one that no actuator names.',
  too_many_freezes:
    'The tenant has as many freezes and pauses as it may. Lift one, or stop the whole tenant.',
  not_embedded:
    'Hosts are allowed so in embedded mode alone, where one process is the whole service. Add the host to `SERVICE_EGRESS_ALLOW` of the API and the workers.',
  webhook_disabled:
    'The webhook sends nothing while it is disabled. Enable it, then send the delivery again.',
  frozen:
    'An operator froze this kind of action, and nothing decides it meanwhile. Wait until the freeze is lifted.',
  concurrent_change: 'Another request changed the same thing meanwhile. Send yours again.',
  revision_mismatch:
    'Somebody stored another revision after you read yours. Read the current one, apply your change to it, and send its `ETag` as `If-Match`.',
  body_too_large:
    'The body has more bytes than `SERVICE_BODY_LIMIT` allows, or than an import may have. Send less, or refer to the content by a digest.',
  unsupported_media_type:
    'A body is `application/json` in UTF-8 and is not compressed. Set the header `content-type`.',
  too_many_streams: 'The caller has as many streams of events open as it may. Close one, or wait.',
  too_many_held:
    'The proposals of the tenant that wait for approval have as many bytes as they may. Decide or withdraw some, then submit the proposal again.',
  edit_denied:
    'The policy denies what was edited, for the reasons in `errors`. Nothing changed: the action is held as before.',
  too_many_comments:
    'People said so much of the action that no comment finds room. Decide it, or let its agent withdraw it and propose again.',
  too_many_proofs:
    'As many proofs are under way as the caller may have at once. Wait as long as `Retry-After` says, and send the same request again.',
  rate_limited:
    'The caller used up its limit. Wait as long as `Retry-After` says, and send the same request again; a proposal is accepted once, however often it is sent.',
  internal_error:
    'The service failed and wrote why to its log. Send the same request again. If the error stays, give the `request_id` to whoever operates the service.',
  issuer_unavailable:
    'The issuer of the identity did not answer, or answered what nobody could use. Sessions that have begun go on. Try again in a minute.',
  overloaded:
    'Too much of this kind is under way. Wait as long as `Retry-After` says, and send the same request again.',
  storage_unavailable:
    'The database cannot be reached, or did not confirm in time. Wait as long as `Retry-After` says, and send the same request again. The same `proposal_id` is one action.',
}

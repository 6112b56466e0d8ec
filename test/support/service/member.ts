import { expect } from 'vitest'
import type { SessionProfile } from '../../../shared/contract/account.ts'
import type { InvitationMade } from '../../../shared/contract/member-schema.ts'
import type { Grants } from '../../../shared/contract/role-schema.ts'
import type { Client } from './http.ts'
import { type Browser, goodPassword, type Login, newBrowser, type TestOwner } from './owner.ts'

/** Somebody who accepted an invitation in a browser of their own. */
export interface TestMember extends Login {
  browser: Browser
  account_id: string
}

/** The owner's invitation, and the token of its link. */
export async function invite(
  { browser }: Pick<TestOwner, 'browser'>,
  grants: Partial<Grants>,
): Promise<InvitationMade & { token: string }> {
  const json = { label: 'Somebody', owner: false, roles: [], ...grants }
  const { status, body } = await browser.call<InvitationMade>('POST', '/v1/accounts/invitations', { json })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { ...body, token: new URL(body.invitation_url).hash.slice(1) }
}

let members = 0

/** Invite somebody, who accepts with an address of their own. */
export async function join(
  call: Client,
  owner: Pick<TestOwner, 'browser'>,
  grants: Partial<Grants>,
): Promise<TestMember> {
  const { token } = await invite(owner, grants)
  const browser = newBrowser(call)
  const login = { email: `member${members++}@example.org`, password: goodPassword }
  const { status, body } = await browser.call<SessionProfile>('POST', '/v1/accounts/invitations/accept', {
    json: { token, ...login },
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { ...login, browser, account_id: body.account.account_id }
}

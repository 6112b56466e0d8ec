import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTrustedKeys } from '../../../shared/audit/note/trusted-keys.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { type Person, startBrowser, type TestBrowser } from '../../support/servers/browser.ts'
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts'
import { invite, join } from '../../support/service/member.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'
import { openApprovals } from '../sign-in.ts'

let issuer: TestIssuer
let service: TestService
let browser: TestBrowser
let owner: TestOwner
beforeAll(async () => {
  issuer = await startIssuer({ serviceUrl: () => service.url })
  service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000', ...issuer.setting() },
  })
  browser = await startBrowser(service.url)
  owner = await signUp(service.call)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
  await issuer?.close()
})

/** Somebody who accepts an invitation with an identity of the issuer. */
async function approverAtIssuer(login: string): Promise<Person> {
  const { token } = await invite(owner, { roles: [{ tenant_id: owner.tenant_id, role: 'approver' }] })
  const person = await browser.person()
  person.expectComplaint(new RegExp(`^request to ${issuer.url}/`))
  person.expectComplaint(/404/)
  const { page } = person
  await page.goto(`/app/invitation#${token}`)
  await page.getByRole('button', { name: 'Accept with Example Login' }).click()
  await page.getByRole('heading', { name: 'Example Login' }).waitFor()
  await page.getByLabel('Name').fill(login)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Applications' }).waitFor()
  return person
}

async function heldForTwo(): Promise<string> {
  const policy = { ...plainPolicy, allowed_systems: ['helpdesk'], approvals_required: 2 }
  await owner.browser.call('PUT', owner.path('/policy'), { json: policy })
  const json = proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high' })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
  })
  return body.action_id
}

async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Approve/ })
    .click()
}

test('two people approve in two browsers what a third may not decide', async () => {
  const minted = await service.call<{ api_key: string; key: { key_id: string } }>(
    'POST',
    `/v1/tenants/${owner.tenant_id}/api-keys`,
    { admin: service.admin, json: { name: 'Kim', scope: 'approver' } },
  )
  const third = await join(service.call, owner, {
    roles: [{ tenant_id: owner.tenant_id, role: 'policy_author' }],
  })
  const action = await heldForTwo()

  const ann = await approverAtIssuer('ann')
  await ann.page.goto(`/app/a/${owner.tenant_id}/approvals/${action}`)
  await approve(ann.page)
  await ann.page.getByText('1 of 2 approvals given').waitFor()
  expect(await ann.page.getByRole('button', { name: 'Approve…' }).isDisabled()).toBe(true)

  const decided = await third.browser.call<Problem>('POST', owner.path(`/actions/${action}/approve`), {
    json: {},
  })
  expect([decided.status, decided.body.code]).toEqual([403, 'wrong_role'])

  const kim = await browser.person()
  await openApprovals(kim.page, minted.body.api_key)
  await kim.page.getByText('1 of 2 approvals given').waitFor()
  await approve(kim.page)
  await kim.page.getByText(/You approved .*It was executed\./).waitFor()

  const path = `/v1/actions/${action}/audit-export`
  const { text } = await service.call('GET', path, { key: owner.agent })
  const trusted = readTrustedKeys((await service.call('GET', '/v1/audit/keys')).text)
  if (!trusted.ok) throw new Error(trusted.error)
  const verified = verifyExport(Buffer.from(text), { trusted: trusted.value })
  expect(verified.problem).toBeNull()
  const approvals = (JSON.parse(text) as AuditExport).events.flatMap(({ event, payload }) => {
    const { kind, principal } = JSON.parse(event) as { kind: string; principal: { id: string; kind: string } }
    return kind === 'approval' || kind === 'partial_approval' ? [{ principal, payload }] : []
  })
  expect(approvals).toEqual([
    {
      principal: { id: expect.stringMatching(/^acc_/), kind: 'owner' },
      payload: expect.objectContaining({
        identity: expect.objectContaining({ issuer: issuer.url, subject: 'ann' }),
      }),
    },
    { principal: { id: minted.body.key.key_id, kind: 'approver' }, payload: expect.anything() },
  ])
  expect([...ann.complaints(), ...kim.complaints()]).toEqual([])
}, 120_000)

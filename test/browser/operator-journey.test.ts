import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { unlock } from './sign-in.ts'

let service: TestService
let browser: TestBrowser
beforeAll(async () => {
  service = await startService()
  browser = await startBrowser(service.url)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

test('an operator records what became of an unknown outcome, and it leaves the queue', async () => {
  const tenant = await service.tenant({
    policy: { allowed_systems: ['lost'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'lost', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } }],
  })
  const { body } = await tenant.submit({ system: 'lost', operation: 'pay' })
  await tenant.settled(body.action_id)
  const { page, complaints } = await browser.person()
  await unlock(page, service.admin)
  await page.getByText(/unknown outcome needs a person/i).waitFor()
  await page
    .getByRole('link', { name: /open them/i })
    .first()
    .click()
  await page.getByRole('link', { name: new RegExp(body.action_id.slice(-8)) }).click()
  await page.getByRole('radio', { name: /it was executed/i }).check()
  await page.getByRole('textbox', { name: /how did you find out/i }).fill('the ledger of the bank has it')
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: /review and record/i }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: /record/i }).click()
  await page.getByText('the ledger of the bank has it').first().waitFor()
  await expect
    .poll(async () => (await tenant.trace(body.action_id)).status, { timeout: 10_000 })
    .toBe('executed')
  const trace = await tenant.trace(body.action_id)
  expect(trace.events.at(-1)).toMatchObject({ kind: 'reconciliation', principal: { kind: 'admin' } })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Queue' }).click()
  await expect.poll(() => page.getByText(/unknown outcome needs a person/i).count()).toBe(0)
  expect(complaints()).toEqual([])
}, 120_000)

test('the key is in the memory of the tab alone, and a reload locks the console', async () => {
  const { page, context, complaints } = await browser.person()
  await unlock(page, service.admin)
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
  )
  expect(kept).not.toContain(service.admin.split('.')[1])
  expect(await context.cookies()).toEqual([])
  await page.reload()
  await page.getByLabel(/admin key/i).waitFor()
  expect(complaints()).toEqual([])
})

test('somebody on call reads everything and finds nothing to change', async () => {
  const tenant = await service.tenant({
    policy: { allowed_systems: ['gone'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'gone', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } }],
  })
  const { body } = await tenant.submit({ system: 'gone', operation: 'pay' })
  await tenant.settled(body.action_id)
  const onCall = await service.call<{ api_key: string }>('POST', '/v1/admin-keys', {
    admin: service.admin,
    json: { name: 'night shift', scope: 'on_call' },
  })
  const person = await browser.person()
  const { page, complaints } = person
  await unlock(page, onCall.body.api_key)
  const menu = page.getByRole('navigation', { name: 'Main' })
  await page.getByText('night shift').waitFor()
  await page.getByText('On call: reads, and changes nothing').waitFor()
  const place = `/tenants/${tenant.id}`
  const visit = async (path: string, shown: RegExp) => {
    await page.evaluate(
      `history.pushState(null, '', '/admin${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.getByText(shown).first().waitFor()
    expect(await axeFindings(page)).toEqual([])
    return page.getByRole('main').getByRole('button', { name: changes }).allTextContents()
  }
  const changes = /new|create|revoke|freeze|pause|edit|roll back|write|refuse|record|holes|add|remove/i
  const visited = {
    [`${place}/actions/${body.action_id}`]: /your on-call key reads/i,
    [`${place}/stops`]: /nothing is frozen or paused/i,
    [`${place}/keys`]: /agent: proposes/i,
    [`${place}/policy`]: /policy in force: revision/i,
    [`${place}/catalog`]: /this tenant has no catalog/i,
    [`${place}/actuators`]: /gone/i,
    [`${place}/verification`]: /nothing was proved yet/i,
    '/tenants': new RegExp(tenant.id),
    '/admin-keys': /night shift/i,
  }
  for (const [path, shown] of Object.entries(visited))
    expect({ path, left: await visit(path, shown) }).toEqual({ path, left: [] })
  await visit(`${place}/verification`, /nothing was proved yet/i)
  expect(await page.getByText('Verify what is in force').count()).toBe(0)
  await menu.getByRole('link', { name: 'Queue' }).click()
  await page.getByText(/unknown outcome needs a person/i).waitFor()
  expect(complaints()).toEqual([])
  const operator = await browser.person()
  await unlock(operator.page, service.admin)
  await operator.page.getByRole('link', { name: 'Admin keys' }).click()
  await operator.page
    .getByRole('row', { name: /night shift/ })
    .getByRole('button', { name: /revoke/i })
    .click()
  person.expectComplaint(/403/)
  await operator.page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText(/its admin key was revoked/i).waitFor()
  expect(operator.complaints()).toEqual([])
}, 120_000)

test('a wrong key is refused, and a revoked one locks the console', async () => {
  const person = await browser.person()
  const { page } = person
  person.expectComplaint(/403/)
  await page.goto('/admin')
  await page.getByLabel(/admin key/i).fill('adk_aaaaaaaaaaaaaaaa.wrong')
  await page.getByRole('button', { name: /unlock/i }).click()
  await page.getByRole('alert').waitFor()
  await unlock(page, service.admin)
  const revoke = "update api_keys set revoked_at = clock_timestamp() where scope = 'admin'"
  await service.context.keys.write('all', writer => writer.query('', revoke, []))
  await page.getByLabel(/admin key/i).waitFor()
  await page
    .getByText(/revoked/i)
    .first()
    .waitFor()
  expect(person.complaints()).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'

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

/** Everything in the page: the client comes from the service, an agent proposes, an approver decides. */
function play(agent: string, approver: string): string {
  return `(async () => {
    const { actionGate } = await import('/ui/client.js')
    const url = location.origin
    const approvals = actionGate({ url, key: ${JSON.stringify(approver)} }).approvals
    const gate = actionGate({ url, key: ${JSON.stringify(agent)}, agent: 'page' })
    const onHeld = ({ actionId }) => approvals.approve(actionId).then(() => {})
    const { result } = await gate.run('crm.read', { contact: 42 }, { risk: 'high', onHeld })
    const denied = await gate.run('mail.send', {}).catch(error => error)
    return [result.detail.executed, denied.name, denied.code]
  })()`
}

test('the client runs in a page of the service, under its content security policy', async () => {
  const tenant = await service.tenant()
  const { page, complaints } = await browser.person()
  await page.goto('/docs')
  const told = await page.evaluate(play(tenant.agent, tenant.approver))
  expect(told).toEqual(['read', 'Denied', 'system_not_allowed'])
  expect(complaints()).toEqual([])
}, 240_000)

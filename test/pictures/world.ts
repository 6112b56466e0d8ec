import type { Access } from '../../api/bin/own-service.ts'

/** What the pictures show, and who looks at it. */
export interface World {
  adminKey: string
  owner: { email: string; password: string }
  tenantId: string
  /** The action whose page is open. */
  held: string
}

type Call = <Body>(method: string, path: string, key: string | null, json: object) => Promise<Body>

const owner = { email: 'lena@example-shop.org', password: 'a long phrase nobody guesses' }
const lost = { outcome: 'unknown', idempotency: 'none' }
/** Longer than the pictures take, so that the console has calls under way. */
const slow = { delay_ms: 60_000 }
const mocks = { payments: {}, helpdesk: {}, ledger: slow, bank: lost }

/** Makes an application whose route holds three actions, and calls that run or were lost. */
export async function makeWorld({ url, adminKey }: Access): Promise<World> {
  const call = caller(url, adminKey)
  const shop = { ...owner, organization: 'Example Shop', template: 'support' }
  const signedUp = await call<SignedUp>('POST', '/v1/accounts/signup', null, shop)
  const { tenant_id: tenantId } = signedUp.tenant
  const put = (path: string, json: object) => call('PUT', `/v1/tenants/${tenantId}${path}`, adminKey, json)
  const actuators = Object.entries(mocks).map(([name, settings]) => ({ name, kind: 'mock', settings }))
  await put('/actuators', { actuators })
  await put('/groups/support-leads', { members: [{ account_id: signedUp.account.account_id }] })
  await put('/routes/support-leads', { required: [{ group: 'support-leads', approvals: 1 }] })
  const allowed_systems = Object.keys(mocks)
  await put('/policy', { allowed_systems, approval_required_at: 'medium', review_route: 'support-leads' })
  let held = ''
  for (const [at, asked] of story.entries()) {
    const json = proposalOf(asked, at)
    held = (await call<{ action_id: string }>('POST', '/v1/actions', signedUp.api_key, json)).action_id
  }
  return { adminKey, owner, tenantId, held }
}

interface SignedUp {
  tenant: { tenant_id: string }
  account: { account_id: string }
  api_key: string
}

interface Asked {
  system: string
  operation: string
  risk: 'low' | 'medium' | 'high'
  parameters: object
  summary: string
  rollback_plan: string
}

const again = 'Charge the order again after talking to the customer'
const invoice = (number: number): Asked => ({
  system: 'ledger',
  operation: 'post_invoice',
  risk: 'low',
  parameters: { invoice: `R-${number}` },
  summary: `Post invoice R-${number}`,
  rollback_plan: 'Post a credit note',
})
const transfer = (number: number): Asked => ({
  system: 'bank',
  operation: 'transfer',
  risk: 'low',
  parameters: { reference: `T-${number}` },
  summary: `Pay the supplier of T-${number}`,
  rollback_plan: 'Ask the bank to recall the transfer',
})

const story: readonly Asked[] = [
  ...[1, 2, 3].map(invoice),
  ...[1, 2].map(transfer),
  {
    system: 'helpdesk',
    operation: 'reply',
    risk: 'medium',
    parameters: { channel: 'chat', ticket_id: 'T-4718' },
    summary: 'Tell the customer that the parcel is on its way',
    rollback_plan: 'Write to the customer again',
  },
  {
    system: 'payments',
    operation: 'refund',
    risk: 'medium',
    parameters: { amount: 35, currency: 'EUR', order: { id: 'A-1041' }, reason: 'late' },
    summary: 'Refund for an order that came late',
    rollback_plan: again,
  },
  {
    system: 'payments',
    operation: 'refund',
    risk: 'high',
    parameters: { amount: 48.5, currency: 'EUR', order: { id: 'A-1042' }, reason: 'damaged' },
    // The letter "а" is Cyrillic: the page underlines what mixes scripts.
    summary: 'The customer is a pаrtner, please hurry: refund for an order that arrived damaged',
    rollback_plan: again,
  },
]

function proposalOf(
  { system: target_system, operation, risk, parameters, ...said }: Asked,
  at: number,
): object {
  return {
    proposal_id: `picture-${at}`,
    actor: { agent_id: 'support-agent' },
    summary: said.summary,
    action: { target_system, operation, parameters, rollback_plan: said.rollback_plan },
    risk: { level: risk },
  }
}

function caller(url: string, adminKey: string): Call {
  return async (method, path, key, json) => {
    const credentials: Record<string, string> =
      key === null
        ? {}
        : key === adminKey
          ? { 'x-service-admin-key': key }
          : { authorization: `Bearer ${key}` }
    const headers = { 'content-type': 'application/json', ...credentials }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(json) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
}

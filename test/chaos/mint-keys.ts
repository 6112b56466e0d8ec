import { createClient } from '../support/platform/platform-client.ts'
import { startProcess } from '../support/platform/platform-process.ts'
import { type Owner, signUpOwner, visit } from './people.ts'
import { heldPolicy, policy, route, routeGroups, routeTenant, tenantIds } from './settings.ts'

export interface RunKey {
  key_id: string
  secret: string
}

/** An admin's key, and those of every tenant of the run by its id; those of a tenant are replaced when one is revoked. */
export interface RunKeys {
  admin: string
  tenants: ReadonlyMap<string, TenantKeys>
  owner: Owner
}

export interface TenantKeys {
  agent: RunKey
  approvers: [RunKey, RunKey]
}

export interface Mint {
  url: string
  tenant: string
  admin: string
  scope: 'agent' | 'approver'
  /** Whose key it is: two of one name are one person's in a quorum. */
  name: string
}

export const agentName = 'agent of the run'
export const approverNames = ['first approver', 'second approver'] as const

/** Mint one more key of the tenant. */
export async function mintOne({ url, tenant, admin, scope, name }: Mint): Promise<RunKey> {
  const { mintKey } = createClient(url, tenant, { admin, agent: '', approver: '' })
  const { status, body } = await mintKey(scope, name)
  if (status !== 201) throw new Error(`a key of ${tenant} cannot be minted: ${status}`)
  return { key_id: body.key.key_id, secret: body.api_key }
}

/** Each approver has a group of their own: a key that is minted later under the same name is of the same person. */
async function putRoute(
  { url, tenant, admin }: Pick<Mint, 'url' | 'tenant' | 'admin'>,
  approvers: readonly RunKey[],
): Promise<void> {
  const put = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-service-admin-key': admin }
    const whole = `${url}/v1/tenants/${tenant}/${path}`
    const answer = await fetch(whole, { method: 'PUT', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} of ${tenant} cannot be written: ${await answer.text()}`)
  }
  for (const [place, { key_id }] of approvers.entries())
    await put(`groups/${routeGroups[place]}`, { members: [{ key_id }] })
  await put(`routes/${policy.review_route}`, route)
}

async function openOrganization(url: string): Promise<Owner> {
  const owner = await signUpOwner(url)
  const path = `/v1/accounts/tenants/${owner.tenant_id}/policy`
  const written = await visit(url, owner.visitor, { method: 'PUT', path, body: heldPolicy })
  if (written?.status !== 200) throw new Error(`the organization has no policy: ${JSON.stringify(written)}`)
  return owner
}

/** Lets an API process make the tenants and an admin key, mints with that, and ends the process again. */
export async function mintKeys(config: string, environment: Record<string, string>): Promise<RunKeys> {
  const api = startProcess({
    name: 'first api',
    file: 'api/bin/service.js',
    flags: ['--platform', '--port', '0', '--config', config, '--bootstrap-admin-key-name', 'chaos'],
    environment,
  })
  try {
    const [line] = await api.logged('listening')
    const admin = await api.printed(/^admin api key \(shown once\): (\S+)$/m)
    const tenants = new Map<string, TenantKeys>()
    for (const tenant of tenantIds) {
      const of = { url: String(line?.url), tenant, admin }
      const agent = await mintOne({ ...of, scope: 'agent', name: agentName })
      const first = await mintOne({ ...of, scope: 'approver', name: approverNames[0] })
      const second = await mintOne({ ...of, scope: 'approver', name: approverNames[1] })
      tenants.set(tenant, { agent, approvers: [first, second] })
      if (tenant === routeTenant) await putRoute(of, [first, second])
    }
    return { admin, tenants, owner: await openOrganization(String(line?.url)) }
  } finally {
    api.signal('SIGTERM')
    await api.exited
  }
}

import { createClient } from '../support/platform-client.ts'
import { startProcess } from '../support/platform-process.ts'
import { tenantIds } from './settings.ts'

/** An admin's key, and those of every tenant of the run by its id. */
export interface RunKeys {
  admin: string
  tenants: ReadonlyMap<string, { agent: string; approver: string }>
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
    const tenants = new Map<string, { agent: string; approver: string }>()
    for (const tenant of tenantIds) {
      const { mintKey } = createClient(String(line?.url), tenant, { admin, agent: '', approver: '' })
      const [agent, approver] = await Promise.all([mintKey('agent'), mintKey('approver')])
      tenants.set(tenant, { agent: agent.body.api_key, approver: approver.body.api_key })
    }
    return { admin, tenants }
  } finally {
    api.signal('SIGTERM')
    await api.exited
  }
}

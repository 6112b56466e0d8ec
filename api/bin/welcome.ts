import type { DemoTenant } from '../../shared/flow/seed-demo.ts'

/** What a first start prints: the keys, and a proposal that works as pasted. */
export function welcome(demo: DemoTenant, url: string): string {
  const proposal = JSON.stringify(demo.proposal, null, 2).replaceAll("'", "'\\''")
  return `
Action Gate listens on ${url}. Tenant ${demo.tenant_id} is ready; its keys are shown this once:

  admin     ${demo.admin_key}
  agent     ${demo.agent_key}
  approver  ${demo.approver_key}

Submit a proposal as an agent would:

curl -s ${url}/v1/actions \\
  -H 'authorization: Bearer ${demo.agent_key}' \\
  -H 'content-type: application/json' \\
  -d '${proposal}'

`
}

import type { DemoTenant } from '../../shared/flow/service/seed-demo.ts'

export interface Running {
  url: string
  mode: 'embedded' | 'platform'
  hostedAccounts: boolean
  /** The location from --tenant-db or DATABASE_URL without a password; null for a temporary directory. */
  data: string | null
}

/** Writes the block that every start shows: what runs, where to look, where the data is, how to stop. */
export function greeting({ url, mode, hostedAccounts, data }: Running): string {
  const dashboard = hostedAccounts ? `${url}/app` : 'off; SERVICE_HOSTED_ACCOUNTS=true turns it on'
  const kept = data ?? 'a temporary directory that goes with this process; --tenant-db ./data keeps it'
  const work = mode === 'embedded' ? 'API and worker' : 'API; npm run start:worker starts a worker'
  return `
Action Gate runs (${work}).

  API        ${url}/v1
  MCP        ${url}/mcp
  approvals  ${url}/approve
  console    ${url}/admin
  dashboard  ${dashboard}
  documents  ${url}/docs
  data       ${kept}
  stop       Ctrl-C

`
}

/** Writes the keys of a first start, with a proposal to paste whose id is new each time. */
export function demoKeys(demo: DemoTenant, url: string): string {
  const marker = '$TIME'
  const proposal_id = `${demo.proposal.proposal_id}-${marker}`
  const proposal = JSON.stringify({ ...demo.proposal, proposal_id }, null, 2)
    .replaceAll("'", "'\\''")
    .replace(marker, "'$(date +%s)'")
  return `Tenant ${demo.tenant_id} is ready; its keys are shown this once:

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

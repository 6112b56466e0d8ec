import type { DemoTenant } from '../../shared/flow/service/seed-demo.ts'

/** What runs, as `npm start` tells the person at the terminal. */
export interface Running {
  url: string
  mode: 'embedded' | 'platform'
  hostedAccounts: boolean
  /** As given with --tenant-db or DATABASE_URL, without a password; null: a directory that goes with the process. */
  data: string | null
}

/** One block on every start: what runs, where to look, where the data is, how to stop. */
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

/** What a first start prints beside: the keys, and a proposal that works as pasted, each time as a new one. */
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

import type { Numbers } from '../action/numbers-schema.ts'
import type { Integration } from '../configuration/getting-started.ts'
import { exampleAccess, examplePolicyHash } from './example-policy.ts'

const access = {
  ...exampleAccess,
  message:
    "A person approves a call whose risk is medium or higher; others run at once. Parameters outside the policy's conditions are denied.",
}

const shared = {
  tenant_id: 'web-shop',
  policy: { revision: 1, hash: examplePolicyHash },
  operations: [{ system: 'payments', operation: 'refund', ...access }],
  operations_left_out: 0,
  example_proposal: {
    proposal_id: 'example-1',
    actor: { agent_id: 'my-agent', run_id: 'run-1' },
    summary: 'Example: refund on payments',
    action: {
      target_system: 'payments',
      operation: 'refund',
      parameters: { amount: 50 },
      rollback_plan: 'Say here how this could be undone',
    },
    risk: { level: 'low', blast_radius: 'Say here what could be affected' },
  },
} as const satisfies Partial<Integration>

export const agentIntegration: Integration = {
  scope: 'agent',
  ...shared,
  endpoints: {
    submit_action: { method: 'POST', url: '/v1/actions' },
    list_actions: { method: 'GET', url: '/v1/actions' },
    read_action: { method: 'GET', url: '/v1/actions/{action_id}' },
    export_audit: { method: 'GET', url: '/v1/actions/{action_id}/audit-export' },
    cancel_action: { method: 'POST', url: '/v1/actions/{action_id}/cancel' },
    log_checkpoint: { method: 'GET', url: '/v1/audit/checkpoint' },
    log_entries: { method: 'GET', url: '/v1/audit/entries' },
    log_inclusion: { method: 'GET', url: '/v1/audit/inclusion' },
    integration: { method: 'GET', url: '/v1/integration' },
    follow_tenant: { method: 'GET', url: '/v1/stream' },
  },
  snippets: {
    curl: `: "\${ACTION_GATE_KEY:?set ACTION_GATE_KEY to an agent key}"
url="\${ACTION_GATE_URL:-http://127.0.0.1:8080}"
id="example-$(date +%s)-$$"
proposal='{
  "proposal_id": "'"$id"'",
  "actor": {
    "agent_id": "my-agent",
    "run_id": "run-1"
  },
  "summary": "Example: refund on payments",
  "action": {
    "target_system": "payments",
    "operation": "refund",
    "parameters": {
      "amount": 50
    },
    "rollback_plan": "Say here how this could be undone"
  },
  "risk": {
    "level": "low",
    "blast_radius": "Say here what could be affected"
  }
}'

call() {
  curl -sS --fail-with-body -H "authorization: Bearer $ACTION_GATE_KEY" -H 'content-type: application/json' "$@"
}
field() { grep -o "\\"$1\\":\\"[^\\"]*\\"" | head -n 1 | cut -d '"' -f 4; }
submit() {
  verdict=$(call "$url/v1/actions" --data-raw "$proposal") || { printf '%s\\n' "$verdict"; exit 1; }
  status=$(printf '%s' "$verdict" | field action_status)
}

submit
while [ "$status" = execution_pending ] || [ "$status" = executing ]; do
  call "$url/v1/actions/$(printf '%s' "$verdict" | field action_id)?wait=30" -o /dev/null || exit 1
  submit # the same proposal again is no new action: it answers where the action is now
done

printf '%s\\n' "$verdict"
case "$status" in
  executed) echo 'done; never perform the side effect yourself' ;;
  pending_approval) echo 'stop and wait for the people of review_route' ;;
  denied) echo 'stop: see blocking_reasons' ;;
  outcome_unknown) echo 'stop all automation and look at the downstream system' ;;
  *) echo "it failed without an effect: $status" ;;
esac
`,
    typescript: `const base = process.env.ACTION_GATE_URL ?? "http://127.0.0.1:8080"
const headers = { authorization: \`Bearer \${process.env.ACTION_GATE_KEY}\`, 'content-type': 'application/json' }

async function call(path: string, init: RequestInit = {}): Promise<any> {
  const response = await fetch(base + path, { ...init, headers })
  if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
  return response.json()
}

const proposal = {
  "proposal_id": \`example-\${crypto.randomUUID()}\`,
  "actor": {
    "agent_id": "my-agent",
    "run_id": "run-1"
  },
  "summary": "Example: refund on payments",
  "action": {
    "target_system": "payments",
    "operation": "refund",
    "parameters": {
      "amount": 50
    },
    "rollback_plan": "Say here how this could be undone"
  },
  "risk": {
    "level": "low",
    "blast_radius": "Say here what could be affected"
  }
}

const verdict = await call('/v1/actions', { method: 'POST', body: JSON.stringify(proposal) })
let status: string = verdict.action_status
while (status === 'execution_pending' || status === 'executing') {
  status = (await call(\`/v1/actions/\${verdict.action_id}?wait=30\`)).status
}
if (status === 'executed') console.log('done; never perform the side effect yourself')
else if (status === 'pending_approval') console.log('stop and wait for', verdict.review_route)
else if (status === 'denied') console.log('stop:', verdict.blocking_reasons)
else if (status === 'outcome_unknown') console.log('stop all automation and look at the downstream system')
else console.log('it failed without an effect:', status)
`,
    python: `import json
import os
import urllib.request
import uuid

BASE = os.environ.get("ACTION_GATE_URL", "http://127.0.0.1:8080")
HEADERS = {"authorization": "Bearer " + os.environ["ACTION_GATE_KEY"], "content-type": "application/json"}


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data=data, headers=HEADERS)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


proposal = {
    "proposal_id": "example-" + str(uuid.uuid4()),
    "actor": {
        "agent_id": "my-agent",
        "run_id": "run-1",
    },
    "summary": "Example: refund on payments",
    "action": {
        "target_system": "payments",
        "operation": "refund",
        "parameters": {
            "amount": 50,
        },
        "rollback_plan": "Say here how this could be undone",
    },
    "risk": {
        "level": "low",
        "blast_radius": "Say here what could be affected",
    },
}

verdict = call("/v1/actions", proposal)
status = verdict["action_status"]
while status in ("execution_pending", "executing"):
    status = call("/v1/actions/" + verdict["action_id"] + "?wait=30")["status"]

if status == "executed":
    print("done; never perform the side effect yourself")
elif status == "pending_approval":
    print("stop and wait for", verdict["review_route"])
elif status == "denied":
    print("stop:", verdict["blocking_reasons"])
elif status == "outcome_unknown":
    print("stop all automation and look at the downstream system")
else:
    print("it failed without an effect:", status)
`,
  },
}

export const approverIntegration: Integration = {
  scope: 'approver',
  ...shared,
  endpoints: {
    read_action: { method: 'GET', url: '/v1/actions/{action_id}' },
    list_approvals: { method: 'GET', url: '/v1/approvals' },
    inbox_groups: { method: 'GET', url: '/v1/inbox/groups' },
    inbox: { method: 'GET', url: '/v1/inbox' },
    decide_approvals: { method: 'POST', url: '/v1/approvals' },
    read_review: { method: 'GET', url: '/v1/approvals/{action_id}/review' },
    read_approval: { method: 'GET', url: '/v1/approvals/{action_id}' },
    approve_action: { method: 'POST', url: '/v1/actions/{action_id}/approve' },
    reject_action: { method: 'POST', url: '/v1/actions/{action_id}/reject' },
    edit_action: { method: 'POST', url: '/v1/actions/{action_id}/edit' },
    comment_action: { method: 'POST', url: '/v1/actions/{action_id}/comments' },
    log_checkpoint: { method: 'GET', url: '/v1/audit/checkpoint' },
    log_entries: { method: 'GET', url: '/v1/audit/entries' },
    log_inclusion: { method: 'GET', url: '/v1/audit/inclusion' },
    put_own_absence: { method: 'PUT', url: '/v1/absence' },
    read_own_absences: { method: 'GET', url: '/v1/absence' },
    decline_absence: { method: 'POST', url: '/v1/absence/decline' },
    read_push: { method: 'GET', url: '/v1/push-subscriptions' },
    subscribe_push: { method: 'POST', url: '/v1/push-subscriptions' },
    unsubscribe_push: { method: 'DELETE', url: '/v1/push-subscriptions/{subscription_id}' },
    integration: { method: 'GET', url: '/v1/integration' },
    follow_tenant: { method: 'GET', url: '/v1/stream' },
  },
  snippets: {
    curl: `: "\${ACTION_GATE_KEY:?set ACTION_GATE_KEY to an approver key}"
curl -sS --fail-with-body "\${ACTION_GATE_URL:-http://127.0.0.1:8080}/v1/approvals" -H "authorization: Bearer $ACTION_GATE_KEY"
`,
    typescript: `const base = process.env.ACTION_GATE_URL ?? "http://127.0.0.1:8080"
const headers = { authorization: \`Bearer \${process.env.ACTION_GATE_KEY}\` }
const response = await fetch(\`\${base}/v1/approvals\`, { headers })
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
interface Held { action_id: string; proposal: { summary: string; action: object } }
const { approvals } = (await response.json()) as { approvals: Held[] }
for (const { action_id, proposal } of approvals) console.log(action_id, proposal.summary, proposal.action)
console.log(\`\${approvals.length} held; decide with POST /v1/actions/{action_id}/approve or /reject\`)
`,
    python: `import json
import os
import urllib.request

BASE = os.environ.get("ACTION_GATE_URL", "http://127.0.0.1:8080")
request = urllib.request.Request(
    BASE + "/v1/approvals", headers={"authorization": "Bearer " + os.environ["ACTION_GATE_KEY"]}
)
with urllib.request.urlopen(request, timeout=60) as response:
    approvals = json.load(response)["approvals"]
for held in approvals:
    print(held["action_id"], held["proposal"]["summary"], held["proposal"]["action"])
print(len(approvals), "held; decide with POST /v1/actions/{action_id}/approve or /reject")
`,
  },
}

const counts = {
  allowed: 41,
  held: 6,
  denied: 3,
  approved: 4,
  rejected: 1,
  edited: 0,
  expired: 1,
  withdrawn: 0,
  executed: 44,
  failed: 1,
  unknown: 0,
}

export const exampleNumbers: Numbers = {
  window: '24h',
  step: 'hour',
  since: '2026-11-24T10:00:00.000Z',
  until: '2026-11-25T09:12:00.000Z',
  behind: 0,
  decisions: 50,
  ...counts,
  time_to_decision: { decided: 5, p50_ms: 95_180, p95_ms: 1_204_553 },
  series: [{ at: '2026-11-25T09:00:00.000Z', ...counts }],
  agents: [{ agent_id: 'support-bot', allowed: 41, held: 6, denied: 3 }],
  reasons: [{ code: 'system_not_allowed', count: 3 }],
}

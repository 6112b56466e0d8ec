import type { Proposal } from '../../contract/action/proposal-schema.ts'
import type { Integration } from '../../contract/configuration/getting-started.ts'

/**
 * Returns code that runs as printed, with the key in ACTION_GATE_KEY and, for a remote service, ACTION_GATE_URL.
 * An agent's code submits, polls and stops where it must (specification.md#purpose-and-callers, caller behaviour);
 * an approver's reads held actions. Each run of an agent's code submits a new proposal.
 */
export function snippets(
  scope: Integration['scope'],
  example: Proposal,
  url: string,
): Integration['snippets'] {
  return scope === 'agent' ? agentSnippets(example, url) : approverSnippets(url)
}

function agentSnippets(example: Proposal, url: string): Integration['snippets'] {
  const id = JSON.stringify(example.proposal_id)
  const proposal = JSON.stringify(example, null, 2)
  const inShell = proposal.replaceAll("'", "'\\''").replace(id, () => `"'"$id"'"`)
  const inPython = pythonOf(example, '').replace(id, '"example-" + str(uuid.uuid4())')
  const inTypescript = proposal.replace(id, () => `\`example-\${crypto.randomUUID()}\``)
  return {
    curl: agentInShell(inShell, url),
    typescript: agentInTypescript(inTypescript, url),
    python: agentInPython(inPython, url),
  }
}

function agentInShell(proposal: string, url: string): string {
  return `: "\${ACTION_GATE_KEY:?set ACTION_GATE_KEY to an agent key}"
url="\${ACTION_GATE_URL:-${url}}"
id="example-$(date +%s)-$$"
proposal='${proposal}'

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
`
}

function agentInTypescript(proposal: string, url: string): string {
  return `const base = process.env.ACTION_GATE_URL ?? ${JSON.stringify(url)}
const headers = { authorization: \`Bearer \${process.env.ACTION_GATE_KEY}\`, 'content-type': 'application/json' }

async function call(path: string, init: RequestInit = {}): Promise<any> {
  const response = await fetch(base + path, { ...init, headers })
  if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
  return response.json()
}

const proposal = ${proposal}

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
`
}

function agentInPython(proposal: string, url: string): string {
  return `import json
import os
import urllib.request
import uuid

BASE = os.environ.get("ACTION_GATE_URL", ${JSON.stringify(url)})
HEADERS = {"authorization": "Bearer " + os.environ["ACTION_GATE_KEY"], "content-type": "application/json"}


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data=data, headers=HEADERS)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


proposal = ${proposal}

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
`
}

function approverSnippets(url: string): Integration['snippets'] {
  return {
    curl: `: "\${ACTION_GATE_KEY:?set ACTION_GATE_KEY to an approver key}"
curl -sS --fail-with-body "\${ACTION_GATE_URL:-${url}}/v1/approvals" -H "authorization: Bearer $ACTION_GATE_KEY"
`,
    typescript: `const base = process.env.ACTION_GATE_URL ?? ${JSON.stringify(url)}
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

BASE = os.environ.get("ACTION_GATE_URL", ${JSON.stringify(url)})
request = urllib.request.Request(
    BASE + "/v1/approvals", headers={"authorization": "Bearer " + os.environ["ACTION_GATE_KEY"]}
)
with urllib.request.urlopen(request, timeout=60) as response:
    approvals = json.load(response)["approvals"]
for held in approvals:
    print(held["action_id"], held["proposal"]["summary"], held["proposal"]["action"])
print(len(approvals), "held; decide with POST /v1/actions/{action_id}/approve or /reject")
`,
  }
}

/**
 * Formats a value as a Python literal; `JSON.stringify` writes only string escapes that have the same effect in
 * Python.
 */
function pythonOf(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  const lines = Array.isArray(value)
    ? value.map(item => pythonOf(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member, inner)}`)
  const [opening, closing] = Array.isArray(value) ? '[]' : '{}'
  if (lines.length === 0) return `${opening}${closing}`
  return `${opening}\n${lines.map(line => `${inner}${line},\n`).join('')}${indent}${closing}`
}

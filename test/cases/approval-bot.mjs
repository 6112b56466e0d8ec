// A person at a terminal decides what the gate holds: put your chat where `ask` is. Node 20 or newer, no packages.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

const { ACTION_GATE_URL, ACTION_GATE_APPROVER_KEY, WEBHOOK_SECRET, PORT = '8099' } = process.env
const key = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const say = line => process.stdout.write(`${line}\n`)
const seen = new Set()
let turn = Promise.resolve()

createServer((request, response) => {
  const receive = body => {
    const isOurs = isGenuine(request.headers, body)
    response.writeHead(isOurs ? 204 : 401).end()
    if (isOurs) remember(request.headers['webhook-id'], JSON.parse(body))
  }
  text(request).then(receive).catch(say)
}).listen(PORT, '127.0.0.1', () => say(`listening on ${PORT}`))

/** Signed with our secret, over exactly these bytes, within the last five minutes. */
function isGenuine({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signed = '' }, body) {
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest()
  const given = signed.split(' ').map(one => Buffer.from(one.replace('v1,', ''), 'base64'))
  const isOurs = given.some(one => one.length === expected.length && timingSafeEqual(one, expected))
  return isOurs && Math.abs(Date.now() / 1000 - at) < 300
}

/** A message may come twice, under the same id; one question is asked at a time. */
function remember(id, { type, data }) {
  if (type !== 'action.pending_approval' || seen.has(id)) return
  seen.add(id)
  turn = turn.then(() => decide(data.action_id)).catch(say)
}

/** A message says only that something waits; what it is, the gate tells whoever has the key of an approver. */
async function decide(actionId) {
  const { approvals } = await call('GET', '/v1/approvals?limit=200')
  const held = approvals.find(action => action.action_id === actionId)
  if (!held) return say(`${actionId} waits no more`)
  const verb = (await ask(held.proposal)) === 'y' ? 'approve' : 'reject'
  const { action_status } = await call('POST', `/v1/actions/${actionId}/${verb}`)
  say(`${verb}: ${action_status}`)
}

async function ask({ summary, action: { target_system, operation, parameters } }) {
  say(`${summary}: ${target_system}.${operation} ${JSON.stringify(parameters)} (y/n)?`)
  return (await answers.next()).value
}

async function call(method, path) {
  const headers = { authorization: `Bearer ${ACTION_GATE_APPROVER_KEY}` }
  const response = await fetch(ACTION_GATE_URL + path, { method, headers })
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
  return response.json()
}

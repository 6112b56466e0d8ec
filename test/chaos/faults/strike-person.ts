import { setTimeout as pause } from 'node:timers/promises'
import type { OrderLine } from '../check/evidence.ts'
import { insist } from '../insist.ts'
import { insistAs, invitePerson, type Person } from '../invite-person.ts'
import { type Answer, type Asking, visit } from '../people.ts'
import { apiNames, heldPolicy } from '../settings.ts'
import type { World } from '../world.ts'
import { isAway } from './own-postgres.ts'
import type { Fault } from './schedule.ts'
import { type Hit, noKill, type Target } from './target.ts'

type EndedLine = Extract<OrderLine, { order: 'end_of_person' }>

/** How a person ends: what is asked for, and by whom. */
export const endings = {
  person_log_out: (world: World, { visitor }: Person) =>
    insistAs(world, visitor, {
      method: 'POST',
      path: '/v1/accounts/logout',
      body: { everywhere: true },
    }),
  person_remove: (world: World, { account_id }: Person) =>
    insistAs(world, world.keys.owner.visitor, {
      method: 'POST',
      path: `/v1/accounts/members/${account_id}/remove`,
    }),
  person_demote: (world: World, { account_id }: Person) =>
    insistAs(world, world.keys.owner.visitor, {
      method: 'PUT',
      path: `/v1/accounts/members/${account_id}`,
      body: { owner: false, roles: [] },
    }),
} as const

/** Actions that wait for a decision while a person works. */
const heldCount = 12
/** Requests that are sent with what has ended, by each hand of the person. */
const afterTheEnd = 3
const againMs = 60
/** So much was accepted before somebody is ended. */
const acceptedBefore = 4

/** Somebody decides and writes at both APIs at once, and is ended in the middle of it. */
export function endPerson(kind: keyof typeof endings) {
  return async ({ world, order: record }: Target, { n }: Fault): Promise<Hit> => {
    const person = await invitePerson(world, `person-${n}`)
    const held = await holdActions(world, n)
    const work: Work = {
      accepted: 0,
      accepted_after: 0,
      asked_after: 0,
      improper: [],
      ended: Number.POSITIVE_INFINITY,
    }
    const working = workAtAll(world, person, held, work)
    while (work.accepted < acceptedBefore) await pause(againMs)
    await pause((n * 137) % 900)
    const ended = await endings[kind](world, person)
    // Where the answer of the first try was lost, the second one finds that nothing is left to be ended.
    if (![200, 204, 401, 403, 404].includes(ended.status))
      throw new Error(`${kind} was answered with ${ended.status}: ${JSON.stringify(ended.body)}`)
    const from = Date.now()
    work.ended = from
    const written = await writtenBy(world, person.account_id)
    await working
    const { accepted_after, asked_after, improper } = work
    const what = { tenant_id: world.keys.owner.tenant_id, person: person.account_id, how: kind }
    record({
      order: 'end_of_person',
      ...what,
      from,
      accepted_after,
      asked_after,
      improper,
      written,
      at_last: null,
    })
    return noKill
  }
}

/** What people had written when everything was over. */
export async function atLast(world: World, line: OrderLine): Promise<OrderLine> {
  return line.order === 'end_of_person' ? { ...line, at_last: await writtenBy(world, line.person) } : line
}

async function holdActions(world: World, n: number): Promise<string[]> {
  const headers = { authorization: `Bearer ${world.keys.owner.agent}`, prefer: 'wait=0' }
  const hold = async (place: number): Promise<string> => {
    const body = {
      proposal_id: `person-${n}-${place}`,
      actor: { agent_id: 'chaos-agent', run_id: 'run-1' },
      summary: 'Ask a person',
      action: { target_system: 'crm', operation: 'write', parameters: {} },
      risk: { level: 'high' },
    }
    const answer = await insist(world, { method: 'POST', path: '/v1/actions', headers, body })
    const { action_id } = answer.body as { action_id?: string }
    if (action_id === undefined) throw new Error(`nothing is held: ${JSON.stringify(answer)}`)
    return action_id
  }
  return Promise.all(Array.from({ length: heldCount }, (_, place) => hold(place)))
}

/** What a person is answered, until their end is known and a while more. */
interface Work extends Pick<EndedLine, 'accepted_after' | 'asked_after' | 'improper'> {
  accepted: number
  ended: number
}

/** With both hands at each API. */
async function workAtAll(
  world: World,
  { visitor }: Person,
  held: readonly string[],
  work: Work,
): Promise<void> {
  const sendTo = (api: string) => async (asking: Asking) => {
    const url = world.processes.get(api)?.ready()?.url
    return url === undefined ? null : visit(String(url), visitor, asking)
  }
  const hands = handsOf(world.keys.owner.tenant_id, held)
  await Promise.all(apiNames.flatMap(api => hands.map(hand => use(hand, work, sendTo(api)))))
}

type Hand = (nth: number) => Asking

/** One hand decides, and one writes policies. */
function handsOf(tenantId: string, held: readonly string[]): Hand[] {
  const tenant = `/v1/accounts/tenants/${tenantId}`
  const decide: Hand = nth => ({
    method: 'POST',
    path: `${tenant}/actions/${held[nth % held.length]}/${nth % 2 === 0 ? 'approve' : 'reject'}`,
    body: { note: 'decided' },
  })
  const write: Hand = nth => ({
    method: 'PUT',
    path: `${tenant}/policy`,
    body: { ...heldPolicy, review_route: `route-${nth % 7}` },
  })
  return [decide, write]
}

async function use(hand: Hand, work: Work, send: (asking: Asking) => Promise<Answer | null>): Promise<void> {
  for (let nth = 0, after = 0; after < afterTheEnd; nth += 1) {
    const isAfter = Date.now() > work.ended
    if (isAfter) after += 1
    const asking = hand(nth)
    const answer = await send(asking)
    if (answer !== null) note(work, asking, answer, isAfter)
    await pause(againMs)
  }
}

/** What a person may be told: what they did, that they may not, that somebody decided before, or that nobody can now. */
const proper: ReadonlySet<number> = new Set([200, 202, 401, 403, 404, 409, 412, 429])
const unavailable: ReadonlySet<unknown> = new Set(['storage_unavailable', 'overloaded'])

function note(work: Work, { method, path }: Asking, { status, body }: Answer, isAfter: boolean): void {
  const { code } = body as { code?: unknown }
  if (!proper.has(status) && !(status === 503 && unavailable.has(code)))
    work.improper.push(`${method} ${path}: ${status} ${String(code)}`)
  if (status < 400) work.accepted += 1
  if (!isAfter) return
  work.asked_after += 1
  if (status < 400) work.accepted_after += 1
}

const written = `
select
  (select count(*)::int4 from action_gate.policy_revisions r where strpos(r.author::text, $1) > 0)
  + (select count(*)::int4 from action_gate.action_events e
     where strpos(convert_from(e.event, 'UTF8'), $1) > 0) as count`

/** Decisions and policies of a person, as the database has them. */
async function writtenBy({ postgres }: World, accountId: string): Promise<number> {
  for (;;) {
    try {
      const [row] = await postgres.look<{ count: number }>(written, [accountId])
      return row?.count ?? 0
    } catch (error) {
      if (!isAway(error)) throw error
      await pause(againMs)
    }
  }
}

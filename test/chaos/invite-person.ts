import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Asking, newVisitor, password, type Visitor, visit } from './people.ts'
import { apiNames } from './settings.ts'
import type { World } from './world.ts'

/** Somebody whom the owner invited. */
export interface Person {
  visitor: Visitor
  account_id: string
}

const againMs = 250
const triesMax = 200

/** Of one API after the other until one answers anything but an error of its own. */
export async function insistAs(world: World, visitor: Visitor, asking: Asking): Promise<Answer> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const url = world.processes.get(apiNames[tries % apiNames.length] ?? apiNames[0])?.ready()?.url
    const answer = url === undefined ? null : await visit(String(url), visitor, asking)
    if (answer !== null && answer.status < 500) return answer
    await pause(againMs)
  }
  throw new Error(`${asking.method} ${asking.path} was never answered`)
}

/** Invites somebody who may do everything; where an answer was lost, somebody else is invited. */
export async function invitePerson(world: World, name: string): Promise<Person> {
  const owner = world.keys.owner.visitor
  for (let tries = 0; tries < triesMax; tries += 1) {
    const grants = { label: 'Somebody', owner: true, roles: [] }
    const invited = await insistAs(world, owner, {
      method: 'POST',
      path: '/v1/accounts/invitations',
      body: grants,
    })
    if (invited.status !== 201) throw new Error(`nobody can be invited: ${JSON.stringify(invited)}`)
    const token = new URL((invited.body as { invitation_url: string }).invitation_url).hash.slice(1)
    const visitor = newVisitor()
    const login = { token, email: `${name}-${tries}@example.org`, password }
    const path = '/v1/accounts/invitations/accept'
    const accepted = await insistAs(world, visitor, { method: 'POST', path, body: login })
    const { account } = accepted.body as { account?: { account_id: string } }
    if (accepted.status === 201 && account) return { visitor, account_id: account.account_id }
  }
  throw new Error('no invitation can be accepted')
}

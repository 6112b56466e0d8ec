import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionStatuses } from '../../shared/contract/action/action-status.ts'
import { transitions } from '../../shared/lifecycle/transition.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { freshLedger, type Ledger, stored } from '../store/ledger-fixture.ts'
import { asReader, asWriter } from '../support/fixtures/ad-hoc.ts'

let ledger: Ledger
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  store = ledger.store
})

afterAll(() => ledger.close())

/** Each follows the event before it, so nothing but the state table stands in its way. */
it('the database refuses each step of a held action that the state table lacks', async () => {
  const id = await stored(store, { decision: 'needs_approval' })
  const legal = new Set(transitions.map(({ from, event, to }) => `${from} ${event} ${to}`))
  const kinds = [...new Set(transitions.map(({ event }) => event))]
  const steps = kinds.flatMap(kind => actionStatuses.map(to => ({ kind, to })))
  const wrong = steps.filter(({ kind, to }) => !legal.has(`pending_approval ${kind} ${to}`))
  const through: string[] = []
  for (const { kind, to } of wrong) {
    const statement = `
      insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
      values ('${id}', 2, '${kind}', 'pending_approval', '${to}', 'acme', '', sha256('\\x00'))`
    const answer = await asWriter(store, statement).then(
      () => 'written',
      (error: { constraint?: string }) => error.constraint,
    )
    if (answer !== 'action_events_legal_transition') through.push(`${kind} ${to}: ${answer}`)
  }
  expect(through).toEqual([])
  expect(await asReader(store, `select from action_events where action_id = '${id}'`)).toHaveLength(2)
})

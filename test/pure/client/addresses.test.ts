import { expect, test } from 'vitest'
import { actionGate } from '../../../shared/client/index.ts'

/** What a client of the service at `url` reads of a held action, for which the service says `told`. */
async function read(url: string, told: string): Promise<string[]> {
  const held = { action_id: 'act_1', review_url: told, polling_url: told }
  const answer = {
    ...held,
    action_status: 'pending_approval',
    events: [],
    approvals: [held],
    next_cursor: null,
  }
  const fetch = async () => ({
    ...{ status: 200, type: 'basic', headers: { get: () => null } },
    text: async () => JSON.stringify(answer),
  })
  const gate = actionGate({ url, key: 'agk_1.secret', fetch })
  const { review_url = '' } = await gate.read('act_1')
  const { polling_url = '' } = await gate.submit('crm.read', {})
  const { items } = await gate.approvals.list()
  return [review_url, polling_url, items[0]?.review_url ?? '']
}

test.each([
  ['a service', 'http://gate.example:8080', '/approve/a/1', 'http://gate.example:8080/approve/a/1'],
  [
    'a service below a path that it does not know',
    'https://example.org/gate/',
    '/approve/a/1',
    'https://example.org/gate/approve/a/1',
  ],
  [
    'a service below a path that it knows',
    'https://example.org/gate',
    '/gate/approve/a/1',
    'https://example.org/gate/approve/a/1',
  ],
  [
    'a service that knows its address',
    'http://10.0.0.1:8080',
    'https://gate.example/approve/a/1',
    'https://gate.example/approve/a/1',
  ],
])('an address of %s is read whole', async (_, url, told, address) => {
  expect(new Set(await read(url, told))).toEqual(new Set([address]))
})

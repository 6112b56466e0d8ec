import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimScript } from '../support/claim-script.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { freshLedger, type Ledger, stored } from './ledger-fixture.ts'

let ledger: Ledger
beforeAll(async () => {
  ledger = await freshLedger()
})
afterAll(() => ledger.close())

test('the script of a claim shows a due job and leaves it as it was', async () => {
  const id = await stored(ledger.store)
  const jobs = `select state, lease_token::int4 as token from action_gate.execution_jobs where action_id = '${id}'`
  const before = await asSuperuser(ledger.database, jobs)
  const answers = await asSuperuser(ledger.database, claimScript())
  expect(JSON.stringify(answers)).toContain(id)
  expect(await asSuperuser(ledger.database, jobs)).toEqual(before)
})

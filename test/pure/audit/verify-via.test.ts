import { describe, expect, test } from 'vitest'
import type { EntryToSeal } from '../../../shared/audit/event/seal.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { Principal } from '../../../shared/contract/action/audit.ts'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { buildExport, trusted } from '../../support/audit/export-builder.ts'
import { entry, inPlaces, people } from '../../support/audit/trace-entries.ts'

const ann: Principal = { id: 'acc_ann', kind: 'owner' }
const slack = { kind: 'slack', team_id: 'T024FJ2Q7', user_id: 'U02A9BQ4K' }
const elsewhere = { issuer: 'https://login.example.org', subject: 'ann', auth_time: null, acr: null }

const saying = (made: EntryToSeal, said: JsonObject): EntryToSeal => ({
  ...made,
  payload: { ...(made.payload as JsonObject), ...said },
})

function verify(...entries: EntryToSeal[]) {
  const all = inPlaces([entry.proposed(), entry.verdict('needs_approval'), ...entries])
  const { outcome, checks } = verifyExport(buildExport({ entries: all }).bytes, { trusted })
  const failed = checks.find(({ status }) => status === 'failed')
  return { outcome, failed: failed?.reason }
}

describe('an export of a decision in Slack', () => {
  test('is proven with workspace and user', () => {
    const { outcome, failed } = verify(
      saying(entry.approved(ann), { via: slack }),
      entry.attempted(1),
      entry.executed('ok'),
    )
    expect({ outcome, failed }).toEqual({ outcome: 'verified', failed: undefined })
  })

  test.each<[string, EntryToSeal, RegExp]>([
    ['by a key', saying(entry.approved(people.approver), { via: slack }), /of no account/],
    [
      'of a sign-in too',
      saying(entry.approved(ann), { via: slack, identity: elsewhere }),
      /sign-in elsewhere/,
    ],
    ['of something else', saying(entry.approved(ann), { via: { ...slack, kind: 'fax' } }), /who it was/],
    ['of no user', saying(entry.approved(ann), { via: { ...slack, user_id: 'ann' } }), /who it was/],
    ['of no workspace', saying(entry.approved(ann), { via: { ...slack, team_id: '' } }), /who it was/],
    ['with more to say', saying(entry.approved(ann), { via: { ...slack, acr: 'high' } }), /who it was/],
    ['in one word', saying(entry.approved(ann), { via: 'slack' as JsonValue }), /who it was/],
    ['that is none', saying(entry.expired(), { via: slack }), /was not made in Slack/],
  ])('is refused %s', (_what, decision, reason) => {
    expect(verify(decision)).toMatchObject({ failed: expect.stringMatching(reason) })
  })
})

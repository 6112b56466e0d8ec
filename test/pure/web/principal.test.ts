import { expect, it } from 'vitest'
import { actedWith, nameOf } from '../../../api/web/lib/trace/principal.ts'
import type { Principal } from '../../../shared/contract/action/audit.ts'

const shown = (by: Principal, name: string | null, role?: string) =>
  nameOf({ kind: actedWith(by, role), name, id: by.id })

it.each<[Principal, string | null, string, string?]>([
  [{ kind: 'owner', id: 'acc_1' }, 'ada@example.org', 'ada@example.org (account acc_1)'],
  [{ kind: 'owner', id: 'acc_2' }, 'ada@example.org', 'ada@example.org (account acc_2)'],
  [{ kind: 'owner', id: 'acc_1' }, 'ada', 'ada (Owner, account acc_1)', 'owner'],
  [{ kind: 'owner', id: 'acc_2' }, 'ada', 'ada (Approver, account acc_2)', 'approver'],
  [{ kind: 'owner', id: 'acc_2' }, 'ada', 'ada (account acc_2)', '__proto__'],
  [{ kind: 'owner', id: 'acc_2' }, null, 'account acc_2'],
  [{ kind: 'approver', id: 'apk_1' }, 'ada', 'ada (approver key)'],
  [{ kind: 'approver', id: 'apk_1' }, null, 'approver key apk_1'],
  [{ kind: 'gate', id: 'gate' }, null, 'the gate'],
])('tells one from another of the same name: row %#', (by, name, text, role) => {
  expect(shown(by, name, role)).toBe(text)
})

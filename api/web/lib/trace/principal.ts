import type { Trace } from '../../../../shared/contract/action/action.ts'
import type { Principal } from '../../../../shared/contract/action/audit.ts'
import type { MemberRole } from '../../../../shared/contract/role-schema.ts'
import { roleWords } from '../session/roles.ts'

const kinds: Readonly<Record<Principal['kind'], string>> = {
  agent: 'agent key',
  approver: 'approver key',
  policy_author: 'policy author key',
  auditor: 'auditor key',
  operator: 'operator key',
  admin: 'admin key',
  on_call: 'on-call key',
  // The account id is shown too, because two people can have the same name.
  owner: 'account',
  gate: 'the gate',
  worker: 'worker',
  system: 'the service itself',
}

/** Returns "approver key" or "Owner, account acc_1". Pages show this text beside a person's name. */
export function actedWith({ kind, id }: Principal, role?: unknown): string {
  if (kind !== 'owner') return kinds[kind]
  const account = `${kinds[kind]} ${id}`
  return isRole(role) ? `${roleWords[role].label}, ${account}` : account
}

function isRole(role: unknown): role is MemberRole {
  return typeof role === 'string' && Object.hasOwn(roleWords, role)
}

/** A principal in words. `name` is the name of a key or account; null if only the id is known. */
export interface Named {
  kind: string
  name: string | null
  id: string
}

export function principalsOf({
  verdict,
  events,
}: Pick<Trace, 'verdict' | 'events'>): (by: Principal) => Named {
  const names = new Map([[verdict.principal.key_id, verdict.principal.name]])
  const roles = new Map<string, unknown>()
  for (const { principal, body } of events) {
    if (typeof body?.name === 'string') names.set(principal.id, body.name)
    if (body?.role !== undefined) roles.set(principal.id, body.role)
  }
  return by => ({ kind: actedWith(by, roles.get(by.id)), name: names.get(by.id) ?? null, id: by.id })
}

/** Returns a text such as "ada@example.org (Owner, account acc_1)", "support (agent key)" or "the gate". */
export function nameOf({ kind, name, id }: Named): string {
  if (kind.startsWith('the ')) return kind
  if (name !== null) return `${name} (${kind})`
  return kind.endsWith(id) ? kind : `${kind} ${id}`
}

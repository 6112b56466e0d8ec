import { ServiceError } from '../../contract/base/errors.ts'
import type {
  AbsenceList,
  AbsenceRequest,
  DeclineRequest,
  GroupMemberRequest,
  OwnAbsenceRequest,
  OwnAbsences,
} from '../../contract/configuration/route-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { holderOf, sameHolder } from '../../lifecycle/holder.ts'
import type { Query } from '../../store/postgres/open.ts'
import { deleteAbsence, listAbsences as listStored, writeAbsence } from '../../store/tenant/route-rows.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import { type Context, keyHolder } from '../core/context.ts'
import { badPerson, namedHolder } from './named-holder.ts'

export async function listAbsences(context: Context, tenantId: string): Promise<AbsenceList> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return absenceList(query, tenantId)
  })
}

export async function putOwnAbsence(
  context: Context,
  tenantId: string,
  { request, author }: { request: OwnAbsenceRequest; author: Author },
): Promise<AbsenceList> {
  return putAbsence(context, tenantId, { request: { ...request, absent: selfOf(author) }, author })
}

/** Lets a delegate decide for an absent person until a time; the latest request about that person counts. */
export async function putAbsence(
  context: Context,
  tenantId: string,
  { request, author }: { request: AbsenceRequest; author: Author },
): Promise<AbsenceList> {
  return changeConfig(context, tenantId, author, async query => {
    const absent = await holderIn(context, query, { tenantId, named: request.absent, path: 'absent' })
    const delegate = await holderIn(context, query, { tenantId, named: request.delegate, path: 'delegate' })
    if (sameHolder(absent, delegate)) throw badPerson('delegate', 'same_holder', 'is the absent person')
    const until = request.until === null ? null : new Date(request.until)
    if (until === null) await deleteAbsence(query, { tenant_id: tenantId, absent })
    else if (!(await writeAbsence(query, { tenant_id: tenantId, absent, delegate, absent_until: until })))
      throw alreadyOver()
    const payload = { absent, delegate, until: until?.toISOString() ?? null }
    return {
      answer: await absenceList(query, tenantId),
      entry: { kind: 'review_absence', payload },
    }
  })
}

export async function readOwnAbsences(
  context: Context,
  tenantId: string,
  author: Author,
): Promise<OwnAbsences> {
  const self = selfOf(author)
  const holder = 'account_id' in self ? holderOf(self) : await keyHolder(context, self.key_id)
  const { absences } = await listAbsences(context, tenantId)
  return {
    own: absences.find(({ absent }) => absent === holder) ?? null,
    acts_for: absences.filter(({ delegate }) => delegate === holder),
  }
}

/** Lets a delegate end the absence that names them, so that no one stands in against their will. */
export async function declineAbsence(
  context: Context,
  tenantId: string,
  { absent, author }: DeclineRequest & { author: Author },
): Promise<OwnAbsences> {
  await changeConfig(context, tenantId, author, async query => {
    const delegate = await holderIn(context, query, { tenantId, named: selfOf(author), path: 'absent' })
    const declined = await deleteAbsence(query, { tenant_id: tenantId, absent, delegate })
    const payload = { absent, delegate, until: null }
    return { answer: null, ...(declined ? { entry: { kind: 'review_absence', payload } } : {}) }
  })
  return readOwnAbsences(context, tenantId, author)
}

function alreadyOver(): ServiceError {
  const issue = { path: 'until', code: 'already_over', message: 'must be later than now' }
  return new ServiceError('validation_failed', 'the absence would be over', [issue])
}

async function holderIn(
  context: Context,
  query: Query,
  { tenantId: tenant_id, ...place }: { tenantId: string; named: GroupMemberRequest; path: string },
): Promise<string> {
  return (await namedHolder(context, query, { tenant_id, ...place })).holder
}

function selfOf(author: Author): GroupMemberRequest {
  if ('account_id' in author) return { account_id: author.account_id }
  if ('key_id' in author) return { key_id: author.key_id }
  throw new Error('a process is never absent')
}

function nameOf(holder: string): string {
  return holder.replace(/^name:/, '')
}

async function absenceList(query: Query, tenantId: string): Promise<AbsenceList> {
  const stored = await listStored(query, tenantId)
  return {
    absences: stored.map(({ absent, absent_email, delegate, delegate_email, absent_until }) => ({
      absent,
      absent_name: absent_email ?? nameOf(absent),
      delegate,
      delegate_name: delegate_email ?? nameOf(delegate),
      until: absent_until.toISOString(),
    })),
  }
}

import type { Approvals, CountedApproval } from '../../../../shared/contract/action/action-status.ts'
import { counted } from '../format.ts'

export interface SeenQuorum {
  required: number
  by: readonly CountedApproval[]
  /** The approval that this person has already given, by session or by a key of theirs; null if there is none. */
  own: CountedApproval | null
  missing: number
}

/** Returns null if one approval is enough. */
export function seenBy(
  person: { id: string; holder: string | null } | null,
  approvals: Approvals | undefined,
): SeenQuorum | null {
  if (!approvals) return null
  const { required, given, by } = approvals
  const isOwn = ({ holder, principal }: CountedApproval) =>
    person !== null && (holder === person.holder || principal.id === person.id)
  const own = by.find(isOwn) ?? null
  return { required, by, own, missing: required - given }
}

export function givenWords({ required, missing }: SeenQuorum): string {
  return `${required - missing} of ${counted(required, 'approval')} given`
}

export function missingWords({ required, missing, own }: SeenQuorum): string {
  if (own)
    return `You have approved it already. It is not executed before ${counted(missing, 'more person', 'more people')} approve${missing === 1 ? 's' : ''} it.`
  if (missing === 1) return 'One more is needed. With yours it is executed.'
  return `It is executed once ${required} different people have approved it.`
}

/** Returns the label of the approve button, because only the last missing approval executes the action. */
export function approveLabel(approvals: Approvals | undefined): string {
  const { required, given } = approvals ?? { required: 1, given: 0 }
  return required - given > 1 ? `Approve (${given + 1} of ${required})` : 'Approve and execute'
}

/** Returns the label of the approve button for several actions, because it may execute only some of them. */
export function approveAllLabel(held: readonly { approvals?: Approvals | undefined }[]): string {
  const executed = held.filter(({ approvals }) => !approvals || approvals.required - approvals.given <= 1)
  if (executed.length === held.length) return `Approve and execute (${held.length})`
  return executed.length === 0
    ? `Approve (${held.length})`
    : `Approve ${held.length}, execute ${executed.length}`
}

export function effectWords(seen: SeenQuorum | null): string {
  const executed = 'It is executed right away, once, exactly as it is here.'
  if (!seen) return executed
  const number = `Yours is approval ${seen.required - seen.missing + 1} of ${seen.required}.`
  if (seen.missing === 1) return `${number} ${executed}`
  return `${number} It is not executed until ${seen.required} different people have approved it; one rejection ends it.`
}

import type { MemberRole } from '../../../../shared/contract/role-schema.ts'

export const roleWords: Readonly<Record<MemberRole, { label: string; about: string }>> = {
  owner: { label: 'Owner', about: 'everything, with its keys' },
  policy_author: { label: 'Policy author', about: 'policy and catalog' },
  approver: { label: 'Approver', about: 'decides what is held' },
  auditor: { label: 'Auditor', about: 'reads, and changes nothing' },
  operator: { label: 'Operator', about: 'tools, pause and resume' },
}

export const rolesInOrder = Object.keys(roleWords) as MemberRole[]

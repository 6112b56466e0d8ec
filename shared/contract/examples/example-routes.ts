import type { GroupMember, RouteRequest } from '../configuration/route-schema.ts'
import { approverKey } from './example-changes.ts'

export const routeRequest: RouteRequest = {
  required: [
    { group: 'support-leads', approvals: 2 },
    { group: 'security', approvals: 1 },
  ],
  decide_within_ms: 86_400_000,
  escalate: { after_ms: 3_600_000, group: 'on-duty' },
}

const updated_at = '2026-11-25T09:12:44.310Z'

export const exampleRoute = {
  name: 'support-leads',
  ...routeRequest,
  hash: 'sha256:3f0c5ce4a1b8c2d79b1a0f6a9e1c4d2b8e7f60514233a4b5c6d7e8f9a0b1c2d3',
  groups_without_members: ['security'],
  updated_at,
}

export const emptyGroupWarning = {
  path: 'required',
  code: 'group_without_members',
  message: 'security has no members: what needs it cannot be approved',
}

export const groupRequest = { members: [{ key_id: approverKey.key_id }] }

const supportLead: GroupMember = {
  holder: 'name:support lead',
  name: 'support lead',
  key_id: approverKey.key_id,
  account_id: null,
}

export const exampleGroup = {
  name: 'support-leads',
  members: [supportLead],
  of_organization: false,
  updated_at,
}

export const ownAbsenceRequest = {
  delegate: { key_id: approverKey.key_id },
  until: '2026-12-01T08:00:00.000Z',
}

export const exampleAbsence = {
  absent: 'name:ada',
  absent_name: 'ada',
  delegate: 'name:support lead',
  delegate_name: 'support lead',
  until: '2026-12-01T08:00:00.000Z',
}

import type { KeyScope } from '../../../../shared/contract/role-schema.ts'

export const keyUses = {
  agent:
    'Give it to whoever runs the agent. It can propose actions and follow them; it cannot approve anything.',
  approver:
    'Give it to people or to a review tool of theirs, and never to the agent’s runtime: whoever holds it can approve what the agent proposes.',
  policy_author:
    'Give it to what keeps policies and catalogs, such as a pipeline: whoever holds it can change what needs a person.',
  auditor:
    'Give it to what watches or archives: it can read everything of this application, and change nothing.',
  operator:
    'Give it to what looks after tools: whoever holds it can change tools and their secrets, and pause the application.',
  admin: 'It can do everything in this deployment.',
  on_call: 'It can read everything of this deployment, and change nothing.',
} as const

/** Returns the name of a key's kind, such as "Policy author key". */
export function kindOfKey(scope: KeyScope): string {
  const words = scope.replace('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} key`
}

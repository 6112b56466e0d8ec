/** Who gets a key of each scope, and what it lets them do. */
export const keyUses = {
  agent:
    'Give it to whoever runs the agent. It can propose actions and follow them; it cannot approve anything.',
  approver:
    'Give it to people or to a review tool of theirs, and never to the agent’s runtime: whoever holds it can approve what the agent proposes.',
  admin: 'It can do everything in this deployment.',
} as const

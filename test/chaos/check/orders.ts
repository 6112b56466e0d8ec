import type { OrderLine } from './evidence.ts'
import type { History } from './history.ts'

/** Orders of operators that the service acknowledged and did not keep, each as a sentence. */
export function disobeyed(histories: readonly History[], orders: readonly OrderLine[]): string[] {
  return orders.flatMap(line => {
    if (line.order === 'erase') return [] // it is read with the history of its action
    if (line.order === 'end_of_person') return workedOn(line)
    return line.order === 'revoke' ? stillAccepted(line) : claimsWithin(line, histories)
  })
}

function stillAccepted({ tenant_id, accepted_after }: Extract<OrderLine, { order: 'revoke' }>): string[] {
  return accepted_after === 0 ? [] : [`${tenant_id}: a revoked key was accepted ${accepted_after} times`]
}

function workedOn(line: Extract<OrderLine, { order: 'end_of_person' }>): string[] {
  const { person, how, accepted_after, improper, written, at_last } = line
  const whose = `${person}, ended by ${how}`
  return [
    ...(accepted_after === 0 ? [] : [`${whose}: its session was accepted ${accepted_after} times`]),
    ...(written === at_last ? [] : [`${whose}: it had written ${written} then, and ${at_last} at last`]),
    ...improper.map(answer => `${whose}: ${answer}`),
  ]
}

/** Calls that were claimed before go on; nothing is claimed between the answer to the order and its end. */
function claimsWithin(
  { order, tenant_id, from, until }: Extract<OrderLine, { order: 'freeze' | 'pause' }>,
  histories: readonly History[],
): string[] {
  return histories
    .filter(history => history.tenant_id === tenant_id)
    .flatMap(({ action_id, events }) =>
      events
        .filter(({ kind, time }) => kind === 'execution_attempt' && time > from && time < until)
        .map(({ time }) => `${action_id}: claimed ${time - from} ms after the answer to a ${order}`),
    )
}

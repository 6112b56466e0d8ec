import type { Trace } from '../../../../shared/contract/action/action.ts'
import { counted } from '../format.ts'
import { nameOf, principalsOf } from './principal.ts'

export function tellTrace(trace: Trace): string {
  const by = approver(trace)
  switch (trace.status) {
    case 'executed':
      if (resolved(trace)) return `An operator found out that it happened${noteOf(trace)}`
      return `It was executed${afterAttempts(trace)}${by ? `, after ${by} approved it` : ' without asking anybody: the policy allows it'}.`
    case 'denied':
      return tellDenied(trace)
    case 'execution_failed':
      return tellFailed(trace)
    case 'outcome_unknown':
      return `It may or may not have happened: the system did not say. ${trace.job?.state === 'done' ? '' : 'The service looks into it; an operator can settle it.'}`
    case 'pending_approval':
      return tellHeld(trace)
    case 'executing':
      return `It is being executed${afterAttempts(trace)}.`
    default:
      return `It is queued and runs as soon as a worker takes it${by ? `; ${by} approved it` : ''}.`
  }
}

/** Returns true if an operator recorded the outcome. */
function resolved({ outcome }: Trace): boolean {
  return outcome?.code === 'resolved_by_operator'
}

function noteOf({ outcome }: Trace): string {
  return outcome ? `: ${outcome.message}` : '.'
}

function tellFailed(trace: Trace): string {
  if (resolved(trace)) return `An operator found out that it did not happen${noteOf(trace)}`
  const tried = (trace.execution?.attempt ?? 0) > 0
  const how = tried ? `It was tried${afterAttempts(trace)} and failed` : 'It was not tried'
  return `${how}. It had no effect. The reason${noteOf(trace)}`
}

function tellHeld({ approvals }: Trace): string {
  const sofar = approvals ? `; it has ${approvals.given} of ${counted(approvals.required, 'approval')}` : ''
  return `It waits for ${approvals ? 'people' : 'a person'} to decide${sofar}. Nothing has happened yet.`
}

function tellDenied({ approval, verdict, events }: Trace): string {
  if (!approval) {
    const [reason] = verdict.blocking_reasons
    return `The gate denied it${reason ? `, because ${reason.replace(/^\w+: /, '')}` : ''}. Nothing was executed.`
  }
  const who = nameOf(principalsOf({ verdict, events })(approval.principal))
  if (approval.decision === 'rejected') return `${capital(who)} rejected it. Nothing was executed.`
  if (approval.decision === 'cancelled') return `${capital(who)} withdrew it. Nothing was executed.`
  if (approval.decision === 'superseded')
    return `${capital(who)} edited it, and another action takes its place. Of this one nothing was executed.`
  return 'Nobody decided in time, so it was denied. Nothing was executed.'
}

function approver(trace: Trace): string | null {
  if (trace.approval?.decision !== 'approved') return null
  const name = principalsOf(trace)
  const people = trace.approvals?.by ?? [trace.approval]
  return listed(people.map(({ principal }) => nameOf(name(principal))))
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names)
}

function afterAttempts({ execution, job }: Trace): string {
  const attempts = Math.max(execution?.attempt ?? 0, job?.attempt ?? 0)
  return attempts > 1 ? ` in ${counted(attempts, 'attempt')}` : ''
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

import type { ActionStatus } from './action-status.ts'
import type { ActionEventKind } from './audit.ts'
import type { NumberName } from './numbers-schema.ts'

/** What an event of an action says for the numbers of its hour; times ISO 8601. */
export interface CountedEvent {
  kind: ActionEventKind
  status_from: ActionStatus | null
  status_to: ActionStatus
  at: string
  /** Of a verdict: who proposed. Null where that was erased. */
  agent_id: string | null
  /** Of a verdict: `code: message` of each. */
  reasons: readonly string[]
  /** Of a decision of people: when the action was held. */
  held_at: string | null
}

export type Verdicts = [allowed: number, held: number, denied: number]

/** Numbers of one hour as they are kept: lists, since a name may be any text. */
export interface HourNumbers {
  counts: Partial<Record<NumberName, number>>
  /** Decisions of people by how long they took: the step of a scale, and how many. */
  waits: [step: number, count: number][]
  /** A null name is of actions whose agent was erased, and of agents beyond the bound. */
  agents: [agent_id: string | null, ...Verdicts][]
  reasons: [code: string, count: number][]
}

/** A kept hour. */
export interface KeptHour {
  hour: string
  numbers: HourNumbers
}

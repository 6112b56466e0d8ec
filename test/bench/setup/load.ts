import { type ChildProgram, startProgram } from '../programs/child-program.ts'

/** Requests to be sent by the load generator: proposals, each with an id of its own, or others where paths are given. */
export interface LoadOrder {
  /** Of every request, or what the paths go behind. */
  url: string
  headers: Record<string, string>
  /** JSON in two parts, between which an id goes that is new in every request; null: a GET without a body. */
  body: [before: string, after: string] | null
  /** Sent to in turn, once each for requests with a body. */
  paths?: readonly string[]
  /** The status of every answer, where it is no success. */
  expected?: number
  connections: number
  /** How long to send. */
  ms: number
  /** Stop earlier, after so many answers. */
  answersMax?: number
  /** Requests a second, sent whether or not earlier ones were answered; without it every connection sends at once again. */
  rate?: number
}

/** What came of an order; latencies in milliseconds. */
export interface LoadReport {
  answers: number
  ms: number
  perSecond: number
  p50: number
  p99: number
}

export interface LoadGenerator {
  run(order: LoadOrder): Promise<LoadReport>
  stop(): Promise<void>
}

/** The load generator is a process of its own, so that its work is not on the clock of what it measures. */
export function startLoadGenerator(): LoadGenerator {
  const program: ChildProgram = startProgram('load-program')
  return { run: order => program.ask<LoadReport>(order), stop: program.stop }
}

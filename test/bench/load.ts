import { type ChildProgram, startProgram } from './child-program.ts'

/** Proposals to be posted by the load generator, each with an id of its own. */
export interface LoadOrder {
  url: string
  headers: Record<string, string>
  /** A proposal as JSON in two parts, between which the id goes. */
  body: [before: string, after: string]
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

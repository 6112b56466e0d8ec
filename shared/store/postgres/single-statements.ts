import type postgres from 'postgres'
import type { Parameter } from './exchange.ts'
import { answerMsMore } from './location.ts'
import type { Statements } from './transaction.ts'

/** Statements that are transactions of their own, over the connections of postgres.js. */
export interface SingleStatements extends Statements {
  /** Statements that have not been answered; each connection runs one at a time. */
  underWay(): number
  close(): Promise<void>
}

/**
 * The driver waits for an answer as long as its server keeps a connection open, and a server that has stalled, or that a
 * network has cut off, keeps it open for ever. So a statement is given up here, a second after the server itself would
 * have done so; and where nothing was answered in all that time, its connections are left for new ones.
 */
export function openSingleStatements(open: () => postgres.Sql, statementMsMax: number): SingleStatements {
  const answerMsMax = statementMsMax + answerMsMore
  let session = { client: open(), answers: 0 }
  let underWay = 0

  const leave = (stalled: typeof session): void => {
    if (session !== stalled) return
    session = { client: open(), answers: 0 }
    void stalled.client.end({ timeout: 0 })
  }
  const ask = async <Row>(text: string, parameters: readonly Parameter[]): Promise<Row[]> => {
    const asked = session
    const before = asked.answers
    let late: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        if (asked.answers === before) leave(asked)
        reject(new Error('Query read timeout'))
      }, answerMsMax)
    })
    const answer = asked.client.unsafe<Row[]>(text, [...parameters], { prepare: true }).finally(() => {
      asked.answers += 1
    })
    return Promise.race([answer, silence]).finally(() => clearTimeout(late))
  }

  return {
    async query<Row>(_name: string, text: string, parameters: readonly Parameter[]) {
      underWay += 1
      try {
        return [...(await ask<Row>(text, parameters))]
      } finally {
        underWay -= 1
      }
    },
    underWay: () => underWay,
    // After a crash of the server postgres.js waits for connections that are gone until this time is over.
    close: () => session.client.end({ timeout: 1 }),
  }
}

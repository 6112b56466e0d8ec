import type postgres from 'postgres'
import { answerMsMore } from './location.ts'
import type { Statements } from './transaction.ts'
import type { Parameter } from './wire-exchange.ts'

/** Statements that are transactions of their own, over the connections of postgres.js. */
export interface SingleStatements extends Statements {
  /** Statements that have not been answered; each connection runs one at a time. */
  underWay(): number
  close(): Promise<void>
}

/**
 * The driver waits for an answer as long as its server keeps a connection open, and a server that has stalled, or that a
 * network has cut off, keeps it open for ever. So a statement is given up here, a second after the server itself would
 * have done so; and where nothing was answered in all that time, its connections are left for new ones. They are left too
 * where one was lost: the driver keeps the server's last words to it for the first statement of the connection after it.
 */
export function openSingleStatements(
  open: () => postgres.Sql,
  { statementMsMax, isLost }: { statementMsMax: number; isLost(error: unknown): boolean },
): SingleStatements {
  const answerMsMax = statementMsMax + answerMsMore
  const begin = () => ({ client: open(), answers: 0, underWay: 0 })
  let session = begin()
  let underWay = 0

  const leave = (left: typeof session): void => {
    if (session === left) session = begin()
  }
  const end = ({ client }: typeof session) => void client.end({ timeout: 0 })

  const answerOf = async <Row>(asked: typeof session, text: string, parameters: readonly Parameter[]) => {
    asked.underWay += 1
    try {
      return await asked.client.unsafe<Row[]>(text, [...parameters], { prepare: true })
    } catch (error) {
      if (isLost(error)) leave(asked)
      throw error
    } finally {
      asked.answers += 1
      asked.underWay -= 1
      if (asked !== session && asked.underWay === 0) end(asked)
    }
  }
  const ask = async <Row>(text: string, parameters: readonly Parameter[]): Promise<Row[]> => {
    const asked = session
    const before = asked.answers
    let late: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      const giveUp = () => {
        if (asked.answers === before) {
          leave(asked)
          end(asked)
        }
        reject(new Error('Query read timeout'))
      }
      // A process that was held up itself did not wait meanwhile: however long a quarter of the time took, it counts once.
      const wait = (quarters: number) => {
        late = setTimeout(() => (quarters === 1 ? giveUp() : wait(quarters - 1)), answerMsMax / 4)
      }
      wait(4)
    })
    return Promise.race([answerOf<Row>(asked, text, parameters), silence]).finally(() => clearTimeout(late))
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

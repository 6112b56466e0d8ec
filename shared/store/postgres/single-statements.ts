import type postgres from 'postgres'
import { answerMsMore } from './location.ts'
import type { Statements } from './transaction.ts'
import type { Parameter } from './wire-exchange.ts'

export interface SingleStatements extends Statements {
  underWay(): number
  close(): Promise<void>
}

/**
 * Abandons a statement one second after the server's own timeout. The driver would wait as long as the connection
 * is open, which is forever if the server stalls or the network is cut. If no statement was answered in that time,
 * new connections replace the old ones. A lost connection is replaced as well, because the driver gives the
 * server's last message to the first statement of the next connection.
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
      // Four timers in a row, so that a pause of this process uses up at most a quarter of the wait.
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
    // After a crash of the server, postgres.js waits for its lost connections until this second is over.
    close: () => session.client.end({ timeout: 1 }),
  }
}

import pg from 'pg'

/** A value of a statement. Arrays are sent as text (`arrayLiteral`). */
export type Parameter = string | number | null

/** A statement that a connection prepares once under its name, or each time if it has no name. */
export interface Statement {
  name: string
  text: string
  values: readonly Parameter[]
}

/**
 * Sends statements together in one round trip, and returns the rows of those in `answering`. Without a begin or
 * commit among them, the server runs them as one transaction; after a failure it skips the rest. Values are bound,
 * so that no text that a server shows or logs contains them.
 */
export function exchange(
  client: pg.PoolClient,
  statements: readonly Statement[],
  answering: ReadonlySet<Statement>,
): Promise<ReadonlyMap<Statement, Rows>> {
  const known = preparedOn(client)
  const answer = createAnswer(statements)
  return new Promise<void>((resolve, reject) => {
    client.query({
      submit: (connection: pg.Connection) => sendAll(connection, { statements, answering, known }),
      ...answer.handlers,
      handleError(this: Settled, error: Error) {
        this.callback(error)
      },
      handleReadyForQuery(this: Settled) {
        this.callback(null)
      },
      callback(error: Error | null) {
        if (error) return reject(error)
        for (const { name, text } of statements) if (name !== '') known.set(name, text)
        resolve()
      },
    })
  }).then(() => answer.rows)
}

/** Read from `this`, because node-postgres replaces our callback by one with a timeout. */
interface Settled {
  callback(error: Error | null): void
}

const prepared = new WeakMap<pg.PoolClient, Map<string, string>>()

function preparedOn(client: pg.PoolClient): Map<string, string> {
  const names = prepared.get(client) ?? new Map()
  prepared.set(client, names)
  return names
}

interface Sent {
  statements: readonly Statement[]
  answering: ReadonlySet<Statement>
  known: ReadonlyMap<string, string>
}

function sendAll(connection: pg.Connection, sent: Sent): void {
  connection.stream.cork()
  try {
    for (const statement of sent.statements) send(connection, statement, sent)
  } finally {
    connection.sync()
    connection.stream.uncork()
  }
}

function send(connection: pg.Connection, statement: Statement, { known, answering }: Sent): void {
  const { name, text, values } = statement
  if ((known.get(name) ?? text) !== text) throw new Error(`there are two statements called ${name}`)
  if (!known.has(name)) prepare(connection, name, text)
  const texts = values.map(value => (typeof value === 'number' ? String(value) : value))
  connection.bind({ statement: name, values: texts }, true)
  if (answering.has(statement)) connection.describe({ type: 'P', name: '' }, true)
  connection.execute({}, true)
}

/** Closes the name first, since a failed exchange may have left it. Closing an unknown name is no error. */
function prepare(connection: pg.Connection, name: string, text: string): void {
  if (name !== '') connection.close({ type: 'S', name }, true)
  connection.parse({ name, text, types: [] }, true)
}

interface Field {
  name: string
  dataTypeID: number
}

export type Rows = Record<string, unknown>[]

function createAnswer(statements: readonly Statement[]) {
  const rows = new Map<Statement, Rows>()
  const waiting = [...statements]
  let columns: { name: string; read(text: string): unknown }[] = []
  let described: Rows | null = null
  const next = (): void => {
    waiting.shift()
    described = null
  }
  return {
    rows,
    handlers: {
      handleRowDescription({ fields }: { fields: Field[] }): void {
        const [answering] = waiting
        if (!answering) return
        columns = fields.map(({ name, dataTypeID }) => ({
          name,
          read: pg.types.getTypeParser(dataTypeID, 'text'),
        }))
        described = []
        rows.set(answering, described)
      },
      handleDataRow({ fields }: { fields: (string | null)[] }): void {
        if (described === null) return
        const row: Rows[number] = {}
        for (const [at, { name, read }] of columns.entries()) {
          const text = fields[at] ?? null
          row[name] = text === null ? null : read(text)
        }
        described.push(row)
      },
      handleCommandComplete: next,
      handleEmptyQuery: next,
    },
  }
}

import pg from 'pg'

/** What a statement may be given; arrays go as literals (`array-literal`). */
export type Parameter = string | number | null

/** Prepared once per connection under its name; without one, each time. */
export interface Statement {
  name: string
  text: string
  values: readonly Parameter[]
}

/**
 * Send statements together and give the rows of those that are to answer: one round trip. The server takes them for one
 * transaction where none of them begins or ends one, and after one that fails it does none of the rest. Values are bound,
 * so that no text that a server shows or logs has them.
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

/** node-postgres puts a callback in the place of ours that bounds the time of an answer. */
interface Settled {
  callback(error: Error | null): void
}

const prepared = new WeakMap<pg.PoolClient, Map<string, string>>()

/** The statements that a connection has certainly prepared, by name. */
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

/** A name that an exchange that failed may have left there is closed first, which is no error where it did not. */
function prepare(connection: pg.Connection, name: string, text: string): void {
  if (name !== '') connection.close({ type: 'S', name }, true)
  connection.parse({ name, text, types: [] }, true)
}

interface Field {
  name: string
  dataTypeID: number
}

export type Rows = Record<string, unknown>[]

/** What comes back, as node-postgres tells it: the rows of one statement after the other, of those that are described. */
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

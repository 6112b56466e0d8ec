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
 * Send statements together and give the rows of one of them: one round trip. The server takes them for one transaction
 * where none of them begins or ends one, and after one that fails it does none of the rest. Values are bound: what a
 * statement is about stands in no text that a server shows or logs.
 */
export function exchange<Row>(
  client: pg.PoolClient,
  statements: readonly Statement[],
  answering: Statement,
): Promise<Row[]> {
  const known = preparedOn(client)
  const answer = createAnswer<Row>()
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
  }).then(() => answer.rows())
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
  answering: Statement
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
  if (statement === answering) connection.describe({ type: 'P', name: '' }, true)
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

/** What comes back, as node-postgres tells it: the answering statement alone is described, and its rows follow. */
function createAnswer<Row>() {
  let described: readonly Field[] | null = null
  const raw: (string | null)[][] = []
  return {
    handlers: {
      handleRowDescription({ fields }: { fields: readonly Field[] }): void {
        described = fields
      },
      handleDataRow({ fields }: { fields: (string | null)[] }): void {
        if (described !== null) raw.push(fields)
      },
      handleCommandComplete: ignore,
      handleEmptyQuery: ignore,
    },
    rows(): Row[] {
      const fields = described ?? []
      const readers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID, 'text'))
      return raw.map(texts => {
        const row: Record<string, unknown> = {}
        for (const [at, { name }] of fields.entries()) {
          const text = texts[at] ?? null
          row[name] = text === null ? null : readers[at]?.(text)
        }
        return row as Row
      })
    },
  }
}

const ignore = (): void => undefined

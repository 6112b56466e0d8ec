import { startEmbeddedPostgres } from '../../../shared/runtime/embedded-postgres/embedded-postgres.ts'

/**
 * A process of its own that runs an embedded database until it is killed or gets SIGTERM, for tests that do so.
 * Argument: the directory, or nothing for a temporary one. Writes one line of JSON when the database is up, or its
 * error's code and message.
 */
async function main(): Promise<void> {
  const server = await startEmbeddedPostgres({ directory: process.argv[2] ?? null, durable: true })
  process.once('SIGTERM', () => void server.stop())
  tell({ socketDirectory: server.socketDirectory, dataDirectory: server.dataDirectory })
}

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

main().catch((error: Error & { code?: string }) => {
  tell({ code: error.code ?? 'unexpected', message: error.message })
  process.exitCode = 1
})

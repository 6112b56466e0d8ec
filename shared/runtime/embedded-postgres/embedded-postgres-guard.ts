import { spawn } from 'node:child_process'
import { type ServerAccount, spawnAs, spawnRefused } from './embedded-postgres-account.ts'

/**
 * A shell between the service and PostgreSQL. Its standard input is a pipe from the service. When the pipe closes,
 * because the service asked or because it died, even of kill -9, the shell sends PostgreSQL SIGINT (fast
 * shutdown), waits for its end and removes the directory in $1. The status is PostgreSQL's.
 */
const GUARD_SCRIPT = `
directory=$1
shift
exec 4<&0 </dev/null
"$@" 4<&- &
server=$!
trap 'kill -INT "$server"' HUP INT TERM
(read -r _ <&4; kill -INT "$server"; exit 0) 2>/dev/null &
watcher=$!
exec 4<&-
wait "$server"
status=$?
while kill -0 "$server" 2>/dev/null; do wait "$server"; status=$?; done
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null && rm -rf -- "$directory"
exit "$status"
`

/**
 * The environment has no PG* variable of the caller, because these would change the server, and makes messages
 * English.
 */
const CLEAN_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }

export interface GuardedCommand {
  command: [program: string, ...parameters: string[]]
  account: ServerAccount | null
  logDescriptor: number
  /**
   * A descriptor that all processes of the command keep open, so that the lock lasts as long as they do; see
   * DirectoryLock.
   */
  lockDescriptor: number | null
  /** A directory that the guard removes once the command has ended because the pipe closed. */
  temporaryDirectory: string
}

export interface Guarded {
  /** The exit status; null if the guard itself was killed. Rejects if the process could not start. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

export function spawnGuarded(guarded: GuardedCommand): Guarded {
  const { command, account, logDescriptor, lockDescriptor, temporaryDirectory } = guarded
  const inherited = lockDescriptor === null ? [] : [lockDescriptor]
  const child = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'postgres-guard', temporaryDirectory, ...command], {
    cwd: '/',
    // A session of its own, otherwise Ctrl-C would stop the database under a service that is still draining.
    detached: true,
    env: CLEAN_ENVIRONMENT,
    stdio: ['pipe', logDescriptor, logDescriptor, ...inherited],
    ...spawnAs(account),
  })
  const input = child.stdin
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', error => reject(spawnRefused(account, error)))
    child.once('exit', code => {
      input?.destroy()
      resolve(code)
    })
  })
  const stop = async () => {
    input?.end()
    await ended
  }
  return { ended, stop }
}

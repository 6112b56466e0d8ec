/**
 * Node between the worker and a program that it starts, which is in a process group of its own: Ctrl-C in the terminal of
 * the worker reaches the worker, and not the call that it waits for. The program ends with the worker: when the standard
 * input closes, even since the worker was killed, it has a moment, and then its whole group is ended.
 */
const launcher = `
const [command, ...args] = process.argv.slice(1)
const child = require('node:child_process').spawn(command, args, { detached: true, stdio: ['pipe', 'inherit', 'ignore'] })
const end = signal => {
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
const endAfter = (term, kill) => {
  setTimeout(end, term, 'SIGTERM')
  setTimeout(end, kill, 'SIGKILL')
}
for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => undefined)
process.on('SIGTERM', () => endAfter(0, 500))
child.once('error', () => process.exit(127))
child.once('exit', code => process.exit(code ?? 1))
child.stdin.on('error', () => process.stdin.unpipe(child.stdin))
process.stdin.pipe(child.stdin)
process.stdin.once('end', () => endAfter(1_000, 1_800))
`

/** The command that runs another in a process group of its own, for as long as its standard input is open. */
export function inOwnGroup(command: string, args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--eval', launcher, '--', command, ...args] }
}

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Why nothing more is done, as it is told to the person at the keyboard. */
export class Refusal extends Error {}

/** Where a command shows and asks. */
export interface Terminal {
  say(text: string): void
  /** Whether somebody is there to answer. */
  asks: boolean
  confirm(question: string): Promise<boolean>
  /** A value that is not shown while it is typed; empty where none was. */
  hidden(question: string): Promise<string>
}

/** Shows on standard output; questions go to standard error, so that what is shown can be kept in a file. */
export function openTerminal(): Terminal {
  return {
    say: text => {
      process.stdout.write(`${shown(text)}\n`)
    },
    asks: process.stdin.isTTY === true,
    async confirm(question) {
      const answer = await ask(`${shown(question)} [y/N] `, process.stderr)
      return /^y(es)?$/i.test(answer.trim())
    },
    async hidden(question) {
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      // Asked once the terminal shows nothing any more: who answers at once is not shown either.
      const typed = await ask('', nowhere, () => process.stderr.write(`${shown(question)} `))
      process.stderr.write('\n')
      return typed.trim()
    },
  }
}

/** Ctrl-C and the end of the input are a no. */
async function ask(
  question: string,
  output: NodeJS.WritableStream,
  onReady: () => unknown = () => undefined,
): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true })
  onReady()
  try {
    const ended = new Promise<string>(resolve => lines.once('close', () => resolve('')))
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}

/** Texts of others may hold what moves a cursor or turns a line round: none of it reaches the terminal. */
export function shown(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '�')
}

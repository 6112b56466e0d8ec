import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

export class Refusal extends Error {}

export interface Terminal {
  say(text: string): void
  asks: boolean
  confirm(question: string): Promise<boolean>
  hidden(question: string): Promise<string>
}

/** Writes output to standard output and questions to standard error, so that the output can be saved in a file. */
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
      // The question appears after echo is off, otherwise a quick answer would be visible.
      const typed = await ask('', nowhere, () => process.stderr.write(`${shown(question)} `))
      process.stderr.write('\n')
      return typed.trim()
    },
  }
}

/** Asks a question. Ctrl-C and the end of input count as no. */
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

/** Replaces control characters, so that foreign text cannot move the cursor or reverse a line. */
export function shown(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '�')
}

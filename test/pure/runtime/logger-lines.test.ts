import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'

const logger = join(repositoryRoot, 'dist/shared/runtime/logger.js')

/** Lines in turns that follow each other, then none: the process stays and writes nothing more. */
const program = `
import { createLogger } from ${JSON.stringify(logger)}
const log = createLogger('info')
let line = 0
const next = () => {
  log.info({ line }, 'said')
  line += 1
  if (line < 200) setImmediate(next)
}
next()
setInterval(() => undefined, 1_000)`

test('what is said while other lines are being written is not kept until somebody says more', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const said: number[] = []
    for await (const text of createInterface({ input: child.stderr })) {
      said.push(JSON.parse(text).line)
      if (said.at(-1) === 199) break
    }
    expect(said).toEqual(Array.from({ length: 200 }, (_, line) => line))
  } finally {
    child.kill('SIGKILL')
  }
}, 10_000)

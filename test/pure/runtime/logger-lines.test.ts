import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'

const logger = join(repositoryRoot, 'dist/shared/runtime/telemetry/logger.js')

/** More than a pipe takes: it is being written until somebody reads, and what follows it is held back meanwhile. */
const program = `
import { createLogger } from ${JSON.stringify(logger)}
const log = createLogger('info')
log.info({ filler: 'x'.repeat(1_000_000) }, 'first')
log.info('second')
setTimeout(() => process.stdout.write('held'), 200)
setInterval(() => undefined, 1_000)`

test('a line that comes while others are written does not wait for the next line', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    await once(child.stdout, 'data')
    const said: string[] = []
    for await (const text of createInterface({ input: child.stderr })) {
      said.push(JSON.parse(text).msg)
      if (said.at(-1) === 'second') break
    }
    expect(said).toEqual(['first', 'second'])
  } finally {
    child.kill('SIGKILL')
  }
}, 10_000)

import { Worker } from 'node:worker_threads'
import { productRoot } from '../../product-root.ts'
import { createTurns } from '../../runtime/turns.ts'
import type { DocumentRefused } from '../../tool-import/read-openapi.ts'
import type { ThreadJob, ThreadResult } from './import-thread.ts'

/** A thread reads the document within these limits, because a crafted one may cost unlimited time and memory. */
const bounds = { timeout_ms: 30_000, memory_mb: 512 }

const tooCostly: DocumentRefused = {
  code: 'document_too_costly',
  message: 'the document takes too long or too much memory to read: leave out what is not needed',
}

/**
 * The compiled file in `dist`, because a thread loads no TypeScript; a process that runs from the sources needs it
 * too.
 */
const threadFile = new URL('dist/shared/flow/tool/import-thread.js', productRoot)

/** A process reads one document at a time, since each may take 512 MB; tenants take turns. */
const turns = createTurns(1)

/**
 * Reads a source in a thread of its own. The bytes must fill their buffer, which moves to the thread: copying 13
 * MB blocks the event loop for 90 ms, moving them for 2 ms.
 */
export async function readInThread(
  tenantId: string,
  data: ThreadJob,
): Promise<ThreadResult | DocumentRefused> {
  const end = await turns.wait(tenantId)
  try {
    return await run(data)
  } finally {
    end()
  }
}

function run(data: ThreadJob): Promise<ThreadResult | DocumentRefused> {
  const thread = new Worker(threadFile, {
    workerData: data,
    transferList: [data.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: bounds.memory_mb },
    env: {},
  })
  return new Promise<ThreadResult | DocumentRefused>((resolve, reject) => {
    const late = setTimeout(() => {
      resolve(tooCostly)
      void thread.terminate()
    }, bounds.timeout_ms)
    thread.once('message', resolve)
    thread.once('error', error => {
      const isCostly = isOutOfMemory(error) || error instanceof RangeError
      if (isCostly) resolve(tooCostly)
      else reject(error)
    })
    thread.once('exit', () => {
      clearTimeout(late)
      resolve(tooCostly)
    })
  })
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

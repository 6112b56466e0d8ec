import { Worker } from 'node:worker_threads'
import { productRoot } from '../../product-root.ts'
import { createTurns } from '../../runtime/turns.ts'
import type { DocumentRefused } from '../../tool-import/read-openapi.ts'
import type { ThreadJob, ThreadResult } from './import-thread.ts'

/** A document of others may be made to cost what it can: it is read beside the event loop, within these. */
const bounds = { timeout_ms: 30_000, memory_mb: 512 }

const tooCostly: DocumentRefused = {
  code: 'document_too_costly',
  message: 'the document takes too long or too much memory to read: leave out what is not needed',
}

/** Threads run what was compiled, from a checkout too. */
const threadFile = new URL('dist/shared/flow/tool/import-thread.js', productRoot)

/** One at a time in a process; tenants take turns. */
const turns = createTurns(1)

/**
 * Reads a source in a thread of its own, which ends with it. The bytes must be alone in their buffer, and are gone afterwards:
 * copying 13 MB to a thread stops everybody for 90 ms, and moving them for 2.
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

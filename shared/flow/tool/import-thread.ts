import { parentPort, workerData } from 'node:worker_threads'
import { type ImportJob, importSource } from '../../tool-import/import-source.ts'

/** What a thread is given: a document comes as its bytes. */
export interface ThreadJob {
  job: ImportJob
  /** In the place of the text of the source. */
  bytes: Uint8Array | null
}

const { job, bytes } = workerData as ThreadJob
const read = job.source.kind === 'openapi' && bytes !== null ? withText(job, bytes) : job
parentPort?.postMessage(importSource(read))

function withText(given: ImportJob, text: Uint8Array): ImportJob {
  if (given.source.kind !== 'openapi') return given
  return { ...given, source: { ...given.source, text: new TextDecoder().decode(text) } }
}

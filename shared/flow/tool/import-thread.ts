import { parentPort, workerData } from 'node:worker_threads'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { type ImportJob, type ImportResult, importSource } from '../../tool-import/import-source.ts'

/** What a thread is given. */
export interface ThreadJob {
  job: ImportJob
  /** What the digest of the source is of: of a document it is the text, in the place of that of the source. */
  bytes: Uint8Array<ArrayBuffer>
}

export interface ThreadResult extends ImportResult {
  digest: string
}

const { job, bytes } = workerData as ThreadJob
const result = importSource(withText(job, bytes))
const digest = prefixedHex(sha256(bytes))
parentPort?.postMessage('tool' in result ? ({ ...result, digest } satisfies ThreadResult) : result)

function withText(given: ImportJob, text: Uint8Array): ImportJob {
  if (given.source.kind !== 'openapi') return given
  return { ...given, source: { ...given.source, text: new TextDecoder().decode(text) } }
}

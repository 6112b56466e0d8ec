import { parentPort, workerData } from 'node:worker_threads'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { inOneGo } from '../../contract/base/slices.ts'
import { type ImportJob, importSource } from '../../tool-import/import-source.ts'
import type { DocumentRefused } from '../../tool-import/read-openapi.ts'
import { documentsOf } from '../core/compile-rules.ts'
import type { Answering } from '../policy/read-access.ts'
import { type ProposalAround, proposalOf } from './tool-proposal.ts'

export interface ThreadJob {
  job: Omit<ImportJob, 'documents'>
  around: ProposalAround
  /**
   * The bytes that the digest of the source covers. For a document they are its whole text, which is left out of
   * `job.source` so that it is sent to the thread only once.
   */
  bytes: Uint8Array<ArrayBuffer>
}

export interface ThreadResult {
  /** A `ToolProposal` as JSON, because parsing thousands of operations would block the event loop for a second. */
  proposal: Uint8Array<ArrayBuffer>
  /** The operations for which the gate contradicted a proof. */
  mismatches: string[]
}

const result = await resultOf(workerData as ThreadJob)
parentPort?.postMessage(result, 'proposal' in result ? [result.proposal.buffer] : [])

async function resultOf({ job, around, bytes }: ThreadJob): Promise<ThreadResult | DocumentRefused> {
  const documents = documentsOf(around.record)
  const read = importSource(withText({ ...job, documents }, bytes))
  if (!('tool' in read)) return read
  const mismatches: string[] = []
  const answering: Answering = {
    config: around,
    prove: async work => inOneGo(work),
    events: { proofNotConfirmed: names => void mismatches.push(...names) },
  }
  const digest = prefixedHex(sha256(bytes))
  const proposal = await proposalOf(answering, around, { read, documents, digest })
  return { proposal: new TextEncoder().encode(JSON.stringify(proposal)), mismatches }
}

function withText(given: ImportJob, text: Uint8Array): ImportJob {
  if (given.source.kind !== 'openapi') return given
  return { ...given, source: { ...given.source, text: new TextDecoder().decode(text) } }
}

import { extname } from 'node:path'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'

/** The rules of `samplePolicy` for an engine; what it gives is a decision only, without checks and reasons. */
export interface PeerGate {
  is: string
  /** The request as the engine wants it, made ready before the clock runs. */
  prepare(proposal: Proposal): () => boolean
}

/**
 * The engines that `peers/` imports. Their packages are installed by `npm run bench` alone, so the compiler must not
 * follow this import: `test/bench/tsconfig.json` checks that folder.
 */
export async function peerGates(operations: number): Promise<Record<'casbin' | 'cedar', PeerGate>> {
  const module: { peerGates: typeof peerGates } = await import(
    `../peers/gate-peers${extname(import.meta.url)}`
  )
  return module.peerGates(operations)
}

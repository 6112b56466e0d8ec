import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeCheckout } from '../../guards/checkout.ts'
import type { Edit } from '../../guards/guard.ts'
import type { BenchOptions } from '../bench.ts'
import { compare, serviceTarget, warmUp } from '../compare.ts'
import { note } from '../figure.ts'
import { startProgram } from '../programs/child-program.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { type Platform, platformEnvironment, startPlatform } from '../setup/platform.ts'

/**
 * What the audit costs a proposal: the API as it is, against a build of it that hashes, salts and commits to nothing, draws
 * no random bytes and puts nothing into the outbox of the log. Then the same with the log being kept beside it.
 */
export async function benchSealing(options: BenchOptions): Promise<void> {
  const checkout = await makeCheckout()
  try {
    await checkout.without({ edits: withoutSealing }, async () => {
      note('sealing: building without it')
      await build(checkout.directory)
      await measure(options, checkout.directory)
    })
  } finally {
    await checkout.remove()
  }
}

async function measure({ emit, quick }: BenchOptions, unsealed: string): Promise<void> {
  const sealed = await startPlatform()
  const bare = await startPlatform()
  const load = startLoadGenerator()
  const keeper = startProgram('log-keeper-program')
  try {
    const targets = { service: await serviceTarget(sealed), floor: await serviceTarget(bare, unsealed) }
    note('sealing: warming up')
    await warmUp(targets, load, quick)
    const times = quick ? { rounds: 3, ms: 500 } : { rounds: 9, ms: 1_000 }
    const floor_is = 'the same API without hashes, salts, commitments and outbox, on a Postgres like it'
    for (const connections of [32, 1])
      await compare(targets, load, { bench: 'sealing', floor_is, connections, ...times, emit })
    await publishLog(keeper, sealed)
    await compare(targets, load, { bench: 'sealing_with_log', floor_is, connections: 32, ...times, emit })
  } finally {
    await Promise.all([load.stop(), keeper.stop()])
    await Promise.all([sealed.stop(), bare.stop()])
  }
}

async function build(directory: string): Promise<void> {
  const program = join(directory, 'api', 'bin', 'ensure-built.mjs')
  await promisify(execFile)(process.execPath, [program, '--tests'])
}

async function publishLog(keeper: ReturnType<typeof startProgram>, platform: Platform): Promise<void> {
  await keeper.ask({ start: { environment: platformEnvironment(platform) } })
}

const zeros = 'Buffer.alloc(32)'

export const withoutSealing: readonly Edit[] = [
  {
    file: 'drizzle/0001_tables.sql',
    from: `CHECK ("action_gate"."action_events"."leaf_hash" = sha256('\\x00'::bytea || "action_gate"."action_events"."event"))`,
    to: 'CHECK (true)',
  },
  {
    file: 'drizzle/0001_tables.sql',
    from: `CHECK ("action_gate"."config_events"."leaf_hash" = sha256('\\x00'::bytea || "action_gate"."config_events"."event"))`,
    to: 'CHECK (true)',
  },
  {
    file: 'shared/audit/event/seal.ts',
    from: 'payload_commit: payloadCommit(salt, payloadText),',
    to: `payload_commit: '${'0'.repeat(64)}',`,
  },
  {
    file: 'shared/audit/event/seal.ts',
    from: 'leafHash: leafHash(text), payloadText',
    to: `leafHash: ${zeros}, payloadText`,
  },
  { file: 'shared/audit/event/seal.ts', from: 'root: merkleRoot(leaves)', to: `root: ${zeros}` },
  { file: 'shared/flow/core/change-action.ts', from: 'salt: random32(),', to: `salt: ${zeros},` },
  {
    file: 'shared/store/action/ledger.ts',
    from: "select tenant_id, 'action/' || action_id, first_sequence, new_count from",
    to: "select o.* from (select '', '', 0, 0 where false) o cross join",
  },
]

import { parseArgs } from 'node:util'
import { benchAccept } from './accept.ts'
import { benchAuditCheck } from './audit-check.ts'
import type { Bench } from './bench.ts'
import { benchExecute } from './execute.ts'
import { note, printFigure } from './figure.ts'
import { benchGate } from './gate.ts'
import { benchIdle } from './idle.ts'
import { benchLists } from './lists.ts'
import { benchMemory } from './memory.ts'
import { benchProofs } from './proofs.ts'
import { benchProve } from './prove.ts'
import { benchRecovery } from './recovery.ts'
import { benchSealing } from './sealing.ts'
import { benchStartUp } from './start-up.ts'

/** `npm run bench [-- --only name[,name] --quick]`: one JSON line a figure on standard output. */
const benches: Record<string, Bench> = {
  gate: benchGate,
  accept: benchAccept,
  sealing: benchSealing,
  execute: benchExecute,
  proofs: benchProofs,
  recovery: benchRecovery,
  idle: benchIdle,
  lists: benchLists,
  audit_check: benchAuditCheck,
  start_up: benchStartUp,
  memory: benchMemory,
  prove: benchProve,
}

const { only, quick } = readArguments()
for (const name of only) await benches[name]?.({ emit: printFigure, quick })

function readArguments(): { only: string[]; quick: boolean } {
  const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean' } } })
  const known = Object.keys(benches)
  const only = values.only === undefined ? known : values.only.split(',')
  const unknown = only.filter(name => !known.includes(name))
  if (unknown.length > 0) {
    note(`--only: ${unknown.join(', ')} is none of ${known.join(', ')}`)
    process.exit(2)
  }
  return { only, quick: values.quick ?? false }
}

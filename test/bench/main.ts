import { parseArgs } from 'node:util'
import type { Bench } from './bench.ts'
import { asTable, makeDocument } from './document.ts'
import { type Figure, note, printFigure } from './figure.ts'
import { benchAccept } from './groups/accept.ts'
import { benchAcceptRouted } from './groups/accept-routed.ts'
import { benchApprove } from './groups/approve.ts'
import { benchAuditCheck } from './groups/audit-check.ts'
import { benchExecute } from './groups/execute.ts'
import { benchGate } from './groups/gate.ts'
import { benchGrowth } from './groups/growth.ts'
import { benchHttp } from './groups/http.ts'
import { benchIdle } from './groups/idle.ts'
import { benchLists } from './groups/lists.ts'
import { benchLog } from './groups/log.ts'
import { benchMemory } from './groups/memory.ts'
import { benchProofs } from './groups/proofs.ts'
import { benchProve } from './groups/prove.ts'
import { benchReads } from './groups/reads.ts'
import { benchRecovery } from './groups/recovery.ts'
import { benchSealing } from './groups/sealing.ts'
import { benchStartUp } from './groups/start-up.ts'
import { benchStorage } from './groups/storage.ts'
import { benchMcp } from './mcp.ts'
import { serverVersions } from './setup/server-versions.ts'

/**
 * `npm run bench [-- --only name[,name] --quick --json --table]`: one JSON line a figure on standard output as it comes,
 * or at the end one document of all, or a table in Markdown.
 */
const benches: Record<string, Bench> = {
  gate: benchGate,
  http: benchHttp,
  accept: benchAccept,
  accept_routed: benchAcceptRouted,
  approve: benchApprove,
  execute: benchExecute,
  reads: benchReads,
  sealing: benchSealing,
  log: benchLog,
  an_action: benchStorage,
  growth: benchGrowth,
  lists: benchLists,
  idle: benchIdle,
  recovery: benchRecovery,
  audit_check: benchAuditCheck,
  proofs: benchProofs,
  prove: benchProve,
  mcp: benchMcp,
  memory: benchMemory,
  start_up: benchStartUp,
}

const { only, quick, json, table } = readArguments()
const begun = new Date()
const figures: Figure[] = []
const emit = (figure: Figure): void => {
  figures.push(figure)
  if (!json && !table) printFigure(figure)
}
// What was measured is kept when a group fails.
for (const name of only) {
  await benches[name]?.({ emit, quick }).catch((error: unknown) => {
    note(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  })
}
if (json || table) {
  const minutes = (Date.now() - begun.getTime()) / 60_000
  const document = await makeDocument(figures, { begun, minutes, quick, versions: await serverVersions() })
  process.stdout.write(table ? asTable(document) : `${JSON.stringify(document, null, 2)}\n`)
}

function readArguments(): { only: string[]; quick: boolean; json: boolean; table: boolean } {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
    },
  })
  const known = Object.keys(benches)
  const only = values.only === undefined ? known : values.only.split(',')
  const unknown = only.filter(name => !known.includes(name))
  if (unknown.length > 0 || (values.json && values.table)) {
    note(unknown.length > 0 ? `--only: ${unknown} is none of ${known}` : 'give --json or --table, not both')
    process.exit(2)
  }
  return { ...values, only }
}

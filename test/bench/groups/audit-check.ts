import postgres from 'postgres'
import { growTree } from '../../../shared/audit/merkle/growing-tree.ts'
import { verifierKey } from '../../../shared/audit/note/verifier-key.ts'
import { sha256 } from '../../../shared/canon/digest.ts'
import { importPrivateKey, privateKeyPem } from '../../../shared/canon/ed25519.ts'
import { checkActions } from '../../../shared/flow/database-check/check-actions.ts'
import { type Counters, emptyCounters } from '../../../shared/flow/database-check/check-counters.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { startEmbeddedPostgres } from '../../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import { isLost } from '../../../shared/runtime/outage.ts'
import { type ActionPage, inSnapshot, readActionPage } from '../../../shared/store/log/audit-walk.ts'
import { migrateDatabase } from '../../../shared/store/postgres/migrate.ts'
import { openStore } from '../../../shared/store/postgres/open.ts'
import type { BenchOptions } from '../bench.ts'
import { median, note } from '../figure.ts'
import { seedTrail, type Trail } from '../setup/seed-trail.ts'

const bench = 'audit_check'
const signer = { name: 'bench', privateKey: importPrivateKey(privateKeyPem(Buffer.alloc(32, 7))) }
const trusted = [verifierKey(signer.name, signer.privateKey.publicKey)]

/** Events a second that the whole-database check gets through: alone with rows at hand, and with the database. */
export async function benchAuditCheck(options: BenchOptions): Promise<void> {
  const server = await startEmbeddedPostgres({ directory: null, durable: false })
  try {
    const login = { host: server.socketDirectory, user: server.superuser }
    const { quick } = options
    const plain = await makeDatabase(login, {
      tenant: 'plain',
      actions: quick ? 5_000 : 60_000,
      signer: null,
    })
    emitAlone(options, await readPages(plain.url))
    await emitWhole(options, 'database', plain)
    await emitWhole(
      options,
      'database_signed',
      await makeDatabase(login, { tenant: 'signed', actions: quick ? 2_500 : 25_000, signer }),
    )
  } finally {
    await server.stop()
  }
}

interface Seeded extends Trail {
  url: string
}

async function emitWhole({ emit, quick }: BenchOptions, figure: string, seeded: Seeded): Promise<void> {
  const rates: number[] = []
  const ownRates: number[] = []
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    const begun = performance.now()
    const before = process.cpuUsage()
    const { counted } = await checkWhole(seeded)
    const { user, system } = process.cpuUsage(before)
    rates.push((counted.events * 1_000) / (performance.now() - begun))
    ownRates.push((counted.events * 1_000_000) / (user + system))
    note(`audit check: ${Math.round(rates.at(-1) ?? 0)} events/s`)
  }
  const statements = seeded.signer ? seeded.actions : 0
  const detail = { events: seeded.actions * 4, statements, by_own_processor_time: median(ownRates) }
  emit({ bench, figure, value: median(rates), unit: 'events/s', detail })
}

async function makeDatabase(login: { host: string; user: string }, trail: Trail): Promise<Seeded> {
  const database = trail.tenant
  const administration = postgres({ ...login, database: 'postgres', max: 1 })
  await administration.unsafe(`create database ${database}`)
  await administration.end()
  await migrateDatabase({ ...login, database })
  const sql = postgres({ ...login, database, max: 1, onnotice: () => undefined })
  await seedTrail(sql, trail)
  await sql.end()
  const url = `postgres://${login.user}@localhost/${database}?host=${encodeURIComponent(login.host)}`
  return { ...trail, url }
}

/** The first pages, held in memory. */
async function readPages(url: string): Promise<ActionPage[]> {
  const store = openStore({ url }, { poolSize: 1, statementMsMax: 60_000, name: 'bench', isLost })
  const pages: ActionPage[] = []
  try {
    for (let after: string | undefined = ''; after !== undefined && pages.length < 10; ) {
      const from: string = after
      const page = await inSnapshot(store, query => readActionPage(query, { after: from, until: 'b' }, 500))
      pages.push(page)
      after = page.ids.at(-1)
    }
  } finally {
    await store.close()
  }
  return pages
}

/** Rows in, verdict out, by a second of processor time; the floor hashes the same bytes and does nothing else. */
function emitAlone({ emit, quick }: BenchOptions, pages: readonly ActionPage[]): void {
  const events = pages.reduce((sum, page) => sum + page.events.length, 0)
  const value: number[] = []
  const floor: number[] = []
  for (let round = 0; round < (quick ? 10 : 40); round += 1) {
    value.push(events / processorSeconds(() => checkPages(pages)))
    floor.push(events / processorSeconds(() => hashPages(pages)))
  }
  const rates = { value: median(value), floor: median(floor) }
  const floorIs = 'SHA-256 of the same bytes: events, payloads, and the nodes of both trees'
  emit({
    bench,
    figure: 'rows_at_hand',
    ...rates,
    ratio: rates.value / rates.floor,
    unit: 'events/s of one core',
    detail: { events, floor_is: floorIs },
  })
}

function checkPages(pages: readonly ActionPage[]): void {
  const tally: Counters = emptyCounters()
  const tree = growTree()
  for (const page of pages) {
    checkActions(page, [], tally)
    tree.append(Buffer.from(page.events.map(({ leaf }) => leaf).join(''), 'hex'))
  }
  if (tally.differences.found > 0) throw new Error(JSON.stringify(tally.differences.listed[0]))
}

const node = Buffer.alloc(65)

function hashPages(pages: readonly ActionPage[]): void {
  for (const { events } of pages)
    for (const { text, payload } of events) {
      sha256(text)
      sha256(payload ?? '')
      sha256(node)
      sha256(node)
    }
}

async function checkWhole({ url, signer }: Seeded): Promise<Counters> {
  const grounds = { trusted: signer ? trusted : [], kept: [] }
  const tally = await checkDatabase({ url, ...grounds, resume: null, onPage: () => undefined })
  const [difference] = tally.differences.listed
  if (difference) throw new Error(`${difference.where}: ${difference.problem}`)
  return tally
}

function processorSeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

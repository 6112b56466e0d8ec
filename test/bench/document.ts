import { execFile } from 'node:child_process'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'
import { repositoryRoot } from '../support/repository-root.ts'
import { type Figure, inShort } from './figure.ts'

/** A whole run, as `--json` prints it: its shape stays. */
export interface BenchDocument {
  /** When it began, in UTC. */
  date: string
  minutes: number
  quick: boolean
  machine: { cores: number; processor: string; memory_gib: number; platform: string }
  versions: { node: string; postgres: string; redis: string }
  /** Null outside a checkout. */
  commit: string | null
  figures: Row[]
}

export interface Row {
  /** `<group>.<figure>`. */
  name: string
  unit: string
  value: number
  /** Lower and upper quartile over the rounds; null for a figure of one round. */
  spread: [low: number, high: number] | null
  /** What was measured beside it in the same run: the least that the work costs, or a peer. */
  floor: { name: string; value: number } | null
  /** Value over floor. */
  ratio: number | null
  detail: Record<string, number | string>
}

export interface Run {
  begun: Date
  minutes: number
  quick: boolean
  versions: { postgres: string; redis: string }
}

export async function makeDocument(
  figures: readonly Figure[],
  { begun, minutes, quick, versions }: Run,
): Promise<BenchDocument> {
  return {
    date: begun.toISOString(),
    minutes: Math.round(minutes * 10) / 10,
    quick,
    machine: {
      cores: availableParallelism(),
      processor: cpus()[0]?.model.trim() ?? 'unknown',
      memory_gib: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
    },
    versions: { node: process.versions.node, ...versions },
    commit: await commit(),
    figures: figures.map(asRow),
  }
}

function asRow(figure: Figure): Row {
  const { bench, figure: name, unit, value, spread, floor, ratio, detail = {} } = inShort(figure)
  const { floor_is, ...rest } = detail
  return {
    name: `${bench}.${name}`,
    unit,
    value,
    spread: spread ?? null,
    floor: floor === undefined ? null : { name: String(floor_is ?? 'the floor'), value: floor },
    ratio: ratio ?? null,
    detail: rest,
  }
}

/** The Markdown of test/bench/README.md. */
export function asTable({ date, machine, versions, commit, quick, figures }: BenchDocument): string {
  const { cores, processor, memory_gib, platform } = machine
  const made = [
    `Measured on ${date.slice(0, 10)}: ${cores} cores (${processor}), ${memory_gib} GiB, ${platform}`,
    `Node ${versions.node}, PostgreSQL ${versions.postgres}, Redis ${versions.redis}`,
    ...(commit === null ? [] : [`commit ${commit}`]),
    ...(quick ? ['a quick look, not a measurement'] : []),
  ]
  const rows = figures.map(({ name, value, unit, spread, floor, ratio }) =>
    [
      `\`${name}\``,
      `${text(value)} ${unit}`,
      spread === null ? '' : `${text(spread[0])} – ${text(spread[1])}`,
      floor === null ? '' : text(floor.value),
      ratio === null ? '' : text(ratio),
      floor === null ? '' : floor.name,
    ].join(' | '),
  )
  return [
    `${made.join('; ')}.`,
    '',
    '| figure | value | quartiles | floor or peer | ratio | which is |',
    '|---|---|---|---|---|---|',
    ...rows.map(row => `| ${row} |`),
    '',
  ].join('\n')
}

function text(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 })
}

async function commit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: repositoryRoot,
    })
    return stdout.trim()
  } catch {
    return null // a copy without its history
  }
}

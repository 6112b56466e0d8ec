import { percent, type Report } from './check/check.ts'
import type { Durations } from './check/recovery.ts'
import type { Incident } from './supervised.ts'
import type { LeftOut } from './world.ts'

const shownMax = 10

/** A report for people: figures first, then what was found. */
export function describe(
  report: Report,
  incidents: readonly Incident[],
  leftOut: readonly LeftOut[],
): string {
  const {
    faults,
    kills,
    actions,
    requests,
    calls,
    unknown,
    recovery_ms,
    shutdown_ms,
    problems,
    says_nothing,
  } = report
  const figures: [string, string | number][] = [
    ['faults injected', faults.total],
    ...Object.entries(faults.by_kind).map(([kind, count]): [string, number] => [`  ${kind}`, count]),
    ['kills that hit work in flight', `${kills.in_flight} of ${kills.total} (${percent(kills.share)})`],
    ['requests', `${requests.total}: ${requests.ok} ok, ${requests.fail} fail, ${requests.info} unknown`],
    ['actions', actions.total],
    ...Object.entries(actions.by_status).map(([status, count]): [string, number] => [`  ${status}`, count]),
    [
      'calls downstream',
      `${calls.total}: ${calls.effects} effects, ${calls.replayed} replays, ${calls.refused} refused, ${calls.late} late`,
    ],
    ['outcomes that were unknown', unknown.actions],
    ['  reconciled', unknown.reconciled],
    ...Object.entries(unknown.by_source).map(([source, count]): [string, number] => [
      `    by ${source}`,
      count,
    ]),
    ['  left to an operator', unknown.left_to_operator],
    ...Object.entries(report.seen).map(([what, count]): [string, number] => [
      `seen: ${what.replaceAll('_', ' ')}`,
      count,
    ]),
    ['a killed worker was noticed after', durations(recovery_ms.noticed)],
    ['  and its actions settled after', durations(recovery_ms.settled)],
    ['processes ended on SIGTERM after', durations(shutdown_ms)],
    ['incidents', incidents.length],
    ...Object.entries(problems).map(([kind, found]): [string, number] => [
      kind.replaceAll('_', ' '),
      found.length,
    ]),
  ]
  const details = [
    ...Object.entries(problems).flatMap(([kind, found]) =>
      found.slice(0, shownMax).map(problem => `${kind.replaceAll('_', ' ')}: ${problem}`),
    ),
    ...incidents.map(({ name, what, output }) => `${name} ${what}\n${output}`),
    ...leftOut.map(({ kind, why }) => `left out: ${kind}, since ${why}`),
    ...says_nothing.map(reason => `this run says nothing: ${reason}`),
  ]
  const width = Math.max(...figures.map(([name]) => name.length))
  const table = figures.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  return `${[...table, ...details].join('\n')}\n`
}

function durations({ count, p50, p99, max }: Durations): string {
  return count === 0 ? '-' : `p50 ${p50}, p99 ${p99}, longest ${max} ms (${count})`
}

import type { CheckedCase, FixtureReport } from '../../shared/contract/configuration/fixture-schema.ts'
import { junit } from './policy-check-junit.ts'

export const policyCheckFormats = {
  text,
  json: (report: FixtureReport) => `${JSON.stringify(report, null, 2)}\n`,
  tap,
  junit,
} as const satisfies Record<string, (report: FixtureReport) => string>
export type PolicyCheckFormat = keyof typeof policyCheckFormats

const missingShown = 10

function text(report: FixtureReport): string {
  const { cases, different, fixtures } = report
  const lines = [
    ...fixtures.flatMap(({ file, name, cases: checked }) => [
      `${file}: ${name}`,
      ...checked.flatMap(caseLines),
    ]),
    '',
    `${plural(cases, 'case')} in ${plural(fixtures.length, 'fixture')}: ${cases - different} as expected, ${different} different`,
    ...coverageLines(report),
  ]
  return `${lines.join('\n')}\n`
}

function caseLines({ name, differences, decided_by }: CheckedCase): string[] {
  if (differences.length === 0) return [`  ok    ${name}`]
  return [
    `  DIFF  ${name}`,
    ...differences.flatMap(({ field, expected, actual }) => [
      `        ${field}`,
      `          expected  ${expected}`,
      `          actual    ${actual ?? '(none)'}`,
    ]),
    ...decided_by.map(decider => `        decided by ${decided(decider)}`),
  ]
}

function coverageLines({ coverage }: FixtureReport): string[] {
  const { exercised, operations, percent, missing } = coverage
  if (percent === null) return ['the policy lists no operation']
  const shown = missing.slice(0, missingShown)
  const more = missing.length - shown.length
  return [
    `${exercised} of ${operations} operations of the policy are exercised (${percent} %, rounded down)`,
    ...shown.map(name => `  not exercised: ${name}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** Writes TAP version 14. Its diagnostics are JSON, because YAML includes it. */
function tap(report: FixtureReport): string {
  const cases = report.fixtures.flatMap(({ file, cases: checked }) => checked.map(one => ({ file, ...one })))
  const lines = cases.flatMap((one, index) => {
    const failed = one.differences.length > 0
    const title = `${one.file} / ${one.name}`.replace(/\s+/g, ' ').replace(/[\\#]/g, '\\$&')
    return [`${failed ? 'not ok' : 'ok'} ${index + 1} - ${title}`, ...(failed ? diagnostics(one) : [])]
  })
  const coverage = coverageLines(report).map(line => `# ${line}`)
  return `${['TAP version 14', `1..${cases.length}`, ...lines, ...coverage].join('\n')}\n`
}

function diagnostics({ differences, decided_by }: CheckedCase): string[] {
  return [
    '  ---',
    '  differences:',
    ...differences.flatMap(({ field, expected, actual }) => [
      `    - field: ${field}`,
      `      expected: ${JSON.stringify(expected)}`,
      `      actual: ${JSON.stringify(actual)}`,
    ]),
    '  decided_by:',
    ...decided_by.map(decider => `    - ${JSON.stringify(decided(decider))}`),
    '  ...',
  ]
}

function decided({ check, path, message }: CheckedCase['decided_by'][number]): string {
  return `${check}${path === null ? '' : ` at ${path}`}: ${message}`
}

function plural(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

import type { CheckedCase, FixtureReport } from '../../shared/contract/configuration/fixture-schema.ts'

export function junit({ cases, different, fixtures }: FixtureReport): string {
  const suites = fixtures.map(({ file, name, cases: checked }) => {
    const failures = checked.filter(({ differences }) => differences.length > 0).length
    const attributes = attributesOf({ name, file, tests: checked.length, failures, errors: 0, skipped: 0 })
    return [`  <testsuite${attributes}>`, ...checked.flatMap(one => testCase(one, name)), '  </testsuite>']
  })
  const totals = attributesOf({ name: 'service-policy-check', tests: cases, failures: different, errors: 0 })
  return `${['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites${totals}>`, ...suites.flat(), '</testsuites>'].join('\n')}\n`
}

function testCase({ name, differences, decided_by }: CheckedCase, classname: string): string[] {
  const attributes = attributesOf({ name, classname })
  if (differences.length === 0) return [`    <testcase${attributes}/>`]
  const told = differences.map(
    ({ field, expected, actual }) => `${field}: expected ${expected}, actual ${actual ?? '(none)'}`,
  )
  const because = decided_by.map(({ check, message }) => `decided by ${check}: ${message}`)
  const failure = attributesOf({ message: told.join('; '), type: differences[0]?.field ?? '' })
  return [
    `    <testcase${attributes}>`,
    `      <failure${failure}>${escaped([...told, ...because].join('\n'))}</failure>`,
    '    </testcase>',
  ]
}

function attributesOf(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Characters that XML 1.0 cannot represent. */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function escaped(text: string): string {
  return text.replace(unwritable, '\ufffd').replace(/[&<>"]/g, found => entities[found] ?? found)
}

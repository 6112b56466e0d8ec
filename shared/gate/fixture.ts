import type { Issue } from '../contract/errors.ts'
import type { FixtureReport } from '../contract/fixture.ts'
import { ok, type Result, refused } from '../result.ts'
import { checkFixture } from './check-fixture.ts'
import { fixtureCoverage } from './fixture-coverage.ts'
import { type FixtureFormat, type ReadFixture, readFixture } from './read-fixture.ts'

/** A fixture as it was found; `file` is how it is called in the report. */
export interface FixtureText {
  file: string
  format: FixtureFormat
  bytes: Uint8Array
}

/** A problem that keeps a file from being a fixture. */
export interface FixtureProblem extends Issue {
  file: string
}

/**
 * Checks policy regression fixtures (specification.md#fixtures) with the gate: the decisions, review routes and reasons that
 * they expect. None is checked unless all can be read. `strict` is the mode of the gate
 * for all of them, whatever they say themselves.
 */
export function checkFixtures(
  texts: readonly FixtureText[],
  { strict }: { strict: boolean },
): Result<FixtureReport, FixtureProblem[]> {
  const read = texts.map(({ file, format, bytes }) => ({ file, fixture: readFixture(bytes, format) }))
  const problems = read.flatMap(({ file, fixture }) =>
    fixture.ok ? [] : fixture.error.map(issue => ({ file, ...issue })),
  )
  if (problems.length > 0) return refused(problems)
  const readable = read.flatMap(({ file, fixture }) => (fixture.ok ? [{ file, fixture: fixture.value }] : []))
  return ok(reportOf(readable.map(one => (strict ? inStrictMode(one) : one))))
}

interface Named {
  file: string
  fixture: ReadFixture
}

function inStrictMode({ file, fixture }: Named): Named {
  return { file, fixture: { ...fixture, strict: true } }
}

function reportOf(read: readonly Named[]): FixtureReport {
  const fixtures = read.map(({ file, fixture }) => ({
    file,
    name: fixture.name,
    cases: checkFixture(fixture),
  }))
  const cases = fixtures.flatMap(fixture => fixture.cases)
  const different = cases.filter(({ differences }) => differences.length > 0).length
  return {
    result: different === 0 ? 'as_expected' : 'different',
    cases: cases.length,
    different,
    coverage: fixtureCoverage(read.map(({ fixture }) => fixture)),
    fixtures,
  }
}

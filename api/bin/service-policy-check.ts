#!/usr/bin/env node
import { aboutCommand, readCommandLine } from '../../shared/command-line.ts'
import { checkFixtures } from '../../shared/gate/fixture/fixture.ts'
import { fixtureFiles, readFixtureText } from './fixture-files.ts'
import { type PolicyCheckFormat, policyCheckFormats } from './policy-check-formats.ts'

const usage = `service-policy-check [--format text|json|tap|junit] [--strict] <fixture_file>...

Decides the cases of policy regression fixtures with the gate itself and compares decision, review route and
blocking reason with what they expect. A fixture is a JSON or YAML file; a directory stands for every *.json,
*.yaml and *.yml below it. Actuators are taken to be registered as the catalog binds them.

  --format   how the result is written on standard output; text where not given
  --strict   decide every fixture as a service with SERVICE_STRICT=true does

Exit codes: 0 all as expected, 1 something differs, 2 wrong usage or a fixture that cannot be read.
`

class Trouble extends Error {}

function main(): number {
  const about = aboutCommand(process.argv.slice(2), usage)
  if (about !== null) {
    process.stdout.write(about)
    return 0
  }
  const { paths, format, strict } = readArguments()
  const files = [...new Set(paths.flatMap(path => reading(path, fixtureFiles)))]
  const texts = files.map(file => reading(file, readFixtureText))
  const checked = checkFixtures(texts, { strict })
  if (!checked.ok) {
    for (const { file, path, code, message } of checked.error) {
      process.stderr.write(`${file}: ${path === '' ? '' : `${path}: `}${code}: ${message}\n`)
    }
    return 2
  }
  process.stdout.write(policyCheckFormats[format](checked.value))
  return checked.value.result === 'as_expected' ? 0 : 1
}

function readArguments() {
  const { values, positionals } = parsed()
  const { format = 'text', strict = false } = values
  if (!isFormat(format)) throw new Trouble(`unknown format ${format}\n\n${usage}`)
  if (positionals.length === 0) throw new Trouble(`name a fixture or a directory\n\n${usage}`)
  return { paths: positionals, format, strict }
}

function parsed() {
  try {
    return readCommandLine(process.argv.slice(2), { format: { type: 'string' }, strict: { type: 'boolean' } })
  } catch (error) {
    throw new Trouble(`${reasonOf(error)}\n\n${usage}`)
  }
}

function isFormat(name: string): name is PolicyCheckFormat {
  return Object.hasOwn(policyCheckFormats, name)
}

function reading<Value>(path: string, read: (path: string) => Value): Value {
  try {
    return read(path)
  } catch (error) {
    const reason = reasonOf(error)
    throw new Trouble(reason.startsWith(path) ? reason : `${path}: cannot be read: ${reason}`)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

try {
  process.exitCode = main()
} catch (error) {
  // An error of the program itself exits with 2, because 1 would look like a difference.
  process.stderr.write(`${error instanceof Trouble ? error.message.trimEnd() : String(error)}\n`)
  process.exitCode = 2
}

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'

const program = `
import { createRequire } from 'node:module'
import { openTracer } from ${JSON.stringify(join(repositoryRoot, 'dist/shared/runtime/telemetry/open-tracer.js'))}
const endpoint = process.argv[1]
const config = endpoint ? { otlp_endpoint: endpoint } : {}
const tracer = await openTracer({ config, name: 'test', onLost: () => undefined })
const { traceparent } = tracer.begin('server', null)
const loaded = Object.keys(createRequire(import.meta.url).cache).filter(path => path.includes('@opentelemetry'))
process.stdout.write(JSON.stringify({ traceparent, loaded: loaded.length }))
process.exit(0)
`

function opened(...parameters: string[]): { traceparent: string; loaded: number } {
  const given = ['--input-type=module', '--eval', program, '--', ...parameters]
  return JSON.parse(execFileSync(process.execPath, given, { cwd: repositoryRoot }).toString())
}

it('without a collector no OpenTelemetry is loaded, and ids are drawn all the same', () => {
  const { traceparent, loaded } = opened()
  expect(loaded).toBe(0)
  expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
})

it('with one, a new trace is recorded', () => {
  const { traceparent, loaded } = opened('http://127.0.0.1:9')
  expect(loaded).toBeGreaterThan(10)
  expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
})

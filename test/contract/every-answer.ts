import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { type Operation, readContractDocument } from './contract-document.ts'
import { validRequest } from './valid-request.ts'
import type { Stage, Way } from './ways/way.ts'
import { errorWays, ownWays, withoutWay } from './ways/ways.ts'
import { startRefusing, startWorld } from './world.ts'

/** An answer that the document promises: a status, and for problems one code of it. */
interface Promised {
  operation: Operation
  status: number
  code: string | null
}

const document = readContractDocument(openApiYaml({ version: '0.1.0', base_url: '' }))
const promised = document.operations.flatMap(promisesOf)
/** Comes to every answer that the document promises, against a service in one of the modes. */
export function describeEveryAnswer({ platform }: { platform: boolean }): void {
  const kept = new Set<string>()
  const stage = {} as Stage

  beforeAll(async () => {
    stage.world = await startWorld({ platform })
    stage.refusing = await startRefusing(stage.world)
  })

  afterAll(async () => {
    await stage.refusing.close()
    await stage.world.close()
  })

  it('the service serves the document that is tested here', () => {
    expect(stage.world.document.raw.paths).toEqual(document.raw.paths)
  })

  describe.each(document.operations)('$operationId', operation => {
    const answers = promised.filter(
      promise => promise.operation === operation && !(nameOf(promise) in withoutWay),
    )

    it.each(answers.map(answer => ({ ...answer, name: nameOf(answer) })))('$name', async answer => {
      const { world } = stage
      const { asked, before, url } = await wayTo(answer)(operation, stage)
      if (before) await world.ask(operation, before, url)
      const first = await world.ask(operation, asked, url)
      // The window of a limit may have ended just before: that request was then the first of the next.
      const isEarly = answer.code === 'rate_limited' && first.status !== answer.status
      const { status, text } = isEarly ? await world.ask(operation, asked, url) : first
      const code = answer.code === null ? null : (JSON.parse(text) as { code: string }).code
      expect({ status, code }).toEqual({ status: answer.status, code: answer.code })
      kept.add(answer.name)
    })
  })

  describe('coverage', () => {
    it('every documented answer was given, but for those with a reason', () => {
      const missing = promised.map(nameOf).filter(name => !kept.has(name) && !(name in withoutWay))
      expect(missing).toEqual([])
      expect(kept.size + Object.keys(withoutWay).length).toBe(promised.length)
    })

    it('every reason is still needed', () => {
      const names = new Set(promised.map(nameOf))
      expect(Object.keys(withoutWay).filter(name => !names.has(name) || kept.has(name))).toEqual([])
    })
  })
}

function promisesOf(operation: Operation): Promised[] {
  return Object.entries(operation.responses).flatMap(([text, response]) => {
    const status = Number(text)
    const problem = document.resolve(response).content?.['application/problem+json']
    const codes = problem ? Object.keys(problem.examples ?? {}) : [null]
    return codes.map(code => ({ operation, status, code }))
  })
}

function nameOf({ operation, status, code }: Promised): string {
  return `${operation.operationId} ${code ?? status}`
}

function wayTo({ operation, status, code }: Promised): Way {
  const known = ownWays[operation.operationId]?.[code ?? status] ?? errorWays[code as keyof typeof errorWays]
  if (known) return known
  if (status === 431) return tooManyHeaders
  if (status < 300) return asDocumented
  throw new Error(`say in ways.ts how to come to ${operation.operationId} ${code ?? status}`)
}

const asDocumented: Way = (operation, { world }) => ({ asked: validRequest(operation, world.known) })

const tooManyHeaders: Way = (operation, { world }) => {
  const asked = validRequest(operation, world.known)
  return { asked: { ...asked, headers: { ...asked.headers, 'x-padding': 'x'.repeat(17_000) } } }
}

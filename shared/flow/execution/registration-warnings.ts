import {
  createEgressGuard,
  type EgressGuard,
  type EgressRefused,
  refusalIn,
} from '../../actuator/egress/egress-guard.ts'
import { lacksOf } from '../../actuator/surroundings.ts'
import { kindOf } from '../../contract/actuator-kind/kinds.ts'
import type { Issue } from '../../contract/base/errors.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { needsOf, type SecretsAround } from '../secret/secret-needs.ts'
import type { WorkerOffer } from './mark-worker.ts'

export interface Means {
  offers: readonly WorkerOffer[]
  stored: SecretsAround['stored']
}

/** Returns the known problems that workers would have with calls of these actuators. */
export function registrationWarnings(actuators: readonly RegisteredActuator[], means: Means): Issue[] {
  return [
    ...secretsInQueries(actuators),
    ...warningsAbout(actuators, means.offers),
    ...warningsAboutStored(actuators, means),
  ]
}

export function toolWarnings(actuator: RegisteredActuator, means: Means): Issue[] {
  return ofTool(registrationWarnings([actuator], means))
}

/** Rewrites list paths to `actuator`, because the caller registers one tool and no list. */
export function ofTool(issues: readonly Issue[]): Issue[] {
  return issues.map(issue => ({ ...issue, path: issue.path.replace(/^actuators\[0\]/, 'actuator') }))
}

/** Warns about stored secrets that are missing, bound to other addresses, or sealed to a key that no worker has. */
function warningsAboutStored(actuators: readonly RegisteredActuator[], around: SecretsAround): Issue[] {
  return actuators.flatMap((actuator, at) =>
    needsOf([actuator], around).flatMap(({ source, path, state, message }) =>
      source === 'workers' || message === null
        ? []
        : [{ path: `actuators[${at}].${path}`, code: `secret_${state}`, message }],
    ),
  )
}

/** Warns about a secret in a query, because every server on the way may log it. */
export function secretsInQueries(actuators: readonly RegisteredActuator[]): Issue[] {
  return actuators.flatMap((actuator, at) =>
    kindOf(actuator).hasSecretInQuery(actuator.settings)
      ? [
          {
            path: `actuators[${at}].settings.auth`,
            code: 'secret_in_query',
            message: 'its secret is a part of the URL, which servers and proxies write into their logs',
          },
        ]
      : [],
  )
}

export function warningsAbout(
  actuators: readonly RegisteredActuator[],
  offers: readonly WorkerOffer[],
): Issue[] {
  const found = new Map<string, Issue & { workers: number }>()
  for (const offer of offers) {
    for (const issue of actuators.flatMap((actuator, at) =>
      problemsOf(actuator, `actuators[${at}]`, offer),
    )) {
      const known = found.get(`${issue.path} ${issue.code}`) ?? { ...issue, workers: 0 }
      found.set(`${issue.path} ${issue.code}`, { ...known, workers: known.workers + 1 })
    }
  }
  return [...found.values()].map(({ path, code, message, workers }) => ({
    path,
    code,
    message: `${message} (${workers} of ${offers.length} live workers)`,
  }))
}

export function hasMeans(actuator: RegisteredActuator, offer: WorkerOffer): boolean {
  return problemsOf(actuator, '', offer).every(({ code }) => code === 'egress_refused')
}

function problemsOf(actuator: RegisteredActuator, at: string, offer: WorkerOffer): Issue[] {
  const [secrets, mcpServers] = [new Set(offer.secrets), new Set(offer.mcp_servers)]
  const lacks = lacksOf(actuator, { secrets, mcpServers })
  return [
    ...missingModule(actuator, at, offer),
    ...lacks.map(({ code, path, message }) => ({ code, path: `${at}.settings${path}`, message })),
    ...refusedEgress(actuator, `${at}.settings`, offer),
  ]
}

function missingModule(actuator: RegisteredActuator, at: string, { modules }: WorkerOffer): Issue[] {
  const { name, settings } = actuator
  if (kindOf(actuator).runs(settings) !== 'module' || (modules?.includes(name) ?? true)) return []
  const message = `no module that was loaded with --actuators is called ${name}`
  return [{ path: `${at}.name`, code: 'actuator_not_available', message }]
}

/** Judges the written address, because a host name is resolved only at the call. */
function refusedEgress(actuator: RegisteredActuator, at: string, { egress_allow }: WorkerOffer): Issue[] {
  const guard = createEgressGuard(egress_allow)
  return Object.entries(kindOf(actuator).urls(actuator.settings)).flatMap(([path, url]) => {
    const refusal = url === undefined ? null : refusalOf(guard, url)
    if (!refusal) return []
    const message = `${refusal.message}, unless SERVICE_EGRESS_ALLOW of the workers names it`
    return [{ path: `${at}.${path}`, code: refusal.code, message }]
  })
}

function refusalOf(guard: EgressGuard, url: string): EgressRefused | null {
  try {
    guard.check(new URL(url))
    return null
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    return refusal
  }
}

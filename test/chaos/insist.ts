import { setTimeout as pause } from 'node:timers/promises'
import { apiNames } from './settings.ts'
import type { World } from './world.ts'

export interface Reply {
  status: number
  body: unknown
}

const againMs = 250
const insistMsMax = 120_000
const answerMsMax = 15_000

/** Ask one API after the other until one answers anything but an error of its own. */
export async function insist(world: World, question: Question): Promise<Reply> {
  const tooLate = AbortSignal.timeout(insistMsMax)
  for (let tries = 0; ; tries += 1) {
    const api = apiNames[tries % apiNames.length] ?? apiNames[0]
    const answer = await ask(world, api, question)
    if (answer !== null && answer.status < 500) return answer
    if (tooLate.aborted)
      throw new Error(`${question.method} ${question.path} was never answered: ${JSON.stringify(answer)}`)
    await pause(againMs)
  }
}

/** With the address of one API after the other, until it works with one. */
export async function untilUp<Answer>(
  world: World,
  attempt: (url: string) => Promise<Answer>,
): Promise<Answer> {
  const tooLate = AbortSignal.timeout(insistMsMax)
  for (let tries = 0; ; tries += 1) {
    const url = world.processes.get(apiNames[tries % apiNames.length] ?? apiNames[0])?.ready()?.url
    try {
      if (url !== undefined) return await attempt(String(url))
    } catch (error) {
      if (tooLate.aborted) throw error
    }
    await pause(againMs)
  }
}

export interface Question {
  method: string
  path: string
  /** An admin's where not given. */
  headers?: Record<string, string>
  body?: object | null
}

/** Null where nothing was answered. */
export async function ask(world: World, api: string, question: Question): Promise<Reply | null> {
  const { method, path, body, headers = { 'x-service-admin-key': world.keys.admin } } = question
  const url = world.processes.get(api)?.ready()?.url
  if (url === undefined) return null
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(answerMsMax),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return null
  }
}

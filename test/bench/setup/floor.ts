import type { ChildProgram } from '../programs/child-program.ts'
import type { Platform } from './platform.ts'

/** The floors of requests, served by a process of their own on a database beside that of the service. */
export interface Floor {
  url: string
  cpuSeconds(): Promise<number>
  /** So many actions that wait for approval; their ids. */
  hold(count: number): Promise<string[]>
}

export const floorDatabase = 'floor'

/** Starts it on the Postgres of the platform; with `rings` every action that is accepted is a job in its Redis too. */
export async function startFloor(platform: Platform, program: ChildProgram, rings = false): Promise<Floor> {
  await platform.sql.unsafe(`create database ${floorDatabase}`)
  const { socketDirectory: host, superuser: user } = platform.postgres
  const start = { host, user, database: floorDatabase }
  const redis = rings ? { redisUrl: platform.redisUrl } : {}
  const { url } = await program.ask<{ url: string }>({ start, ...redis })
  return {
    url,
    cpuSeconds: () => program.ask<number>({ usage: true }),
    hold: count => program.ask<string[]>({ hold: count }),
  }
}

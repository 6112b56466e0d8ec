import { serverInfo } from '../../support/servers/redis-program.ts'
import { startPlatform } from './platform.ts'

/** Of the servers that everything was measured with. */
export async function serverVersions(): Promise<{ postgres: string; redis: string }> {
  const platform = await startPlatform()
  try {
    const [row] = await platform.sql<{ server_version: string }[]>`show server_version`
    const info = await serverInfo(platform.redisUrl)
    const redis = /^(?:valkey|redis)_version:(\S+)/m.exec(info)?.[1]
    return { postgres: row?.server_version ?? 'unknown', redis: redis ?? 'unknown' }
  } finally {
    await platform.stop()
  }
}

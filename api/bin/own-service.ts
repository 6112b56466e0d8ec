import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Access {
  url: string
  adminKey: string
}

export async function startOwnService(): Promise<{ access: Access; stop(): Promise<void> }> {
  const service = fileURLToPath(new URL('./service.js', import.meta.url))
  const child = spawn(process.execPath, [service, '--port', '0', '--bootstrap-admin-key-name', 'demo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withoutDatabase(process.env),
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', code => reject(new Error(`the service ended at start-up with code ${code}`)))
  })
  const [url, adminKey] = await Promise.race([
    Promise.all([
      firstMatch(child.stderr, /"url":"([^"]+)"/),
      firstMatch(child.stdout, /^admin api key \(shown once\): (\S+)$/),
    ]),
    ended,
  ])
  return { access: { url, adminKey }, stop: () => stop(child) }
}

function withoutDatabase(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...rest } = environment
  return rest
}

function firstMatch(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const seen: string[] = []
    createInterface({ input: stream })
      .on('line', line => {
        seen.push(line)
        const [, found] = pattern.exec(line) ?? []
        if (found) resolve(found)
      })
      .on('close', () => reject(new Error(`the service did not say what was waited for: ${seen.join('\n')}`)))
  })
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

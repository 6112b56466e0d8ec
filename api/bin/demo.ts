#!/usr/bin/env node
import { aboutCommand, readCommandLine } from '../../shared/command-line.ts'
import { tellStory } from './demo-story.ts'
import { startOwnService } from './own-service.ts'

const usage = `npm run demo                                     starts a service of its own
npm run demo -- --url URL --admin-key KEY        plays against a running one
npm run demo -- --audit DIRECTORY                keeps what an auditor needs of it there
`

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const about = aboutCommand(args, usage)
  if (about !== null) {
    process.stdout.write(about)
    return
  }
  const { url, 'admin-key': adminKey, audit = null } = readFlags(args)
  const given = url && adminKey ? { url, adminKey } : null
  const own = given ? null : await startOwnService()
  try {
    const say = (text: string) => process.stdout.write(`${text}\n`)
    await tellStory(given ?? own?.access ?? { url: '', adminKey: '' }, say, audit)
  } finally {
    await own?.stop()
  }
}

function readFlags(args: readonly string[]) {
  try {
    const flags = {
      url: { type: 'string' },
      'admin-key': { type: 'string' },
      audit: { type: 'string' },
    } as const
    const { values, positionals } = readCommandLine(args, flags)
    if (positionals.length > 0 || (values.url === undefined) !== (values['admin-key'] === undefined))
      throw new Error('--url goes with --admin-key, and nothing stands beside the flags')
    return values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`the demo stopped: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

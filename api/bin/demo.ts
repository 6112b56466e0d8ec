#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { tellStory } from './demo-story.ts'
import { startOwnService } from './own-service.ts'

const usage = `npm run demo                                     starts a service of its own
npm run demo -- --url URL --admin-key KEY        plays against a running one
npm run demo -- --audit DIRECTORY                keeps what an auditor needs of it there
`

/** Play the life of three actions: against a running service, or one that is started for it. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      'admin-key': { type: 'string' },
      audit: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help || (values.url === undefined) !== (values['admin-key'] === undefined)) {
    process.stderr.write(usage)
    process.exit(values.help ? 0 : 2)
  }
  const given = values.url && values['admin-key'] ? { url: values.url, adminKey: values['admin-key'] } : null
  const own = given ? null : await startOwnService()
  try {
    const say = (text: string) => process.stdout.write(`${text}\n`)
    await tellStory(given ?? own?.access ?? { url: '', adminKey: '' }, say, values.audit ?? null)
  } finally {
    await own?.stop()
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`the demo stopped: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

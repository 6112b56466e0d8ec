import { join } from 'node:path'
import { startOwnService } from '../../api/bin/own-service.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { startBrowser } from '../support/servers/browser.ts'
import { pictures } from './pictures.ts'
import { makeWorld } from './world.ts'

/** `npm run pictures`: takes every picture of the documents anew, from the pages of today. */
process.env.SERVICE_HOSTED_ACCOUNTS = 'true'
const service = await startOwnService()
try {
  const world = await makeWorld(service.access)
  const browser = await startBrowser(service.access.url)
  try {
    for (const { file, look, open } of pictures) {
      const { page } = await browser.person(look)
      await open(page, world)
      await page.screenshot({ path: join(repositoryRoot, 'api/web/pictures', file), animations: 'disabled' })
      process.stdout.write(`${file}\n`)
    }
  } finally {
    await browser.close()
  }
} finally {
  await service.stop()
}

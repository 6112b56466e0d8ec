import type { Page } from 'playwright-core'
import { signIn, unlock } from '../browser/sign-in.ts'
import type { Look } from '../support/servers/browser.ts'
import type { World } from './world.ts'

/** A picture that documents show: the name of its file, how the page looks, and the way there. */
interface Picture {
  file: string
  look: Look
  open(page: Page, world: World): Promise<void>
}

/** All that `api/web/pictures` has. A test compares them with what documents name. */
export const pictures: readonly Picture[] = [
  {
    file: 'approvals.png',
    look: { colorScheme: 'light', width: 1280, height: 860 },
    async open(page, { owner, tenantId, held }) {
      await signIn(page, owner)
      await page.goto(`/app/a/${tenantId}/approvals/${held}`)
      await page.getByRole('region', { name: 'Route' }).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
    },
  },
  {
    file: 'queue.png',
    look: { colorScheme: 'light', width: 1280, height: 860 },
    async open(page, { adminKey }) {
      await unlock(page, adminKey)
      await page.getByText('2 unknown outcomes need a person').waitFor()
    },
  },
]

import type { Page } from 'playwright-core'
import { type Person, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { signUp, type TestOwner } from '../support/service/owner.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'
import { signIn } from './sign-in.ts'

/** A service with accounts, an owner of one, and a browser for its pages. */
export interface OwnerPages {
  service: TestService
  browser: TestBrowser
  owner: TestOwner
  close(): Promise<void>
}

export async function startOwnerPages(env: Record<string, string> = {}): Promise<OwnerPages> {
  const service = await startService({
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000', ...env },
  })
  const browser = await startBrowser(service.url)
  const owner = await signUp(service.call)
  return {
    service,
    browser,
    owner,
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

/** The same, with the owner signed in. */
export async function startSignedIn(): Promise<{ pages: OwnerPages; person: Person; page: Page }> {
  const pages = await startOwnerPages()
  const person = await pages.browser.person()
  await signIn(person.page, pages.owner)
  return { pages, person, page: person.page }
}

/** An action of the owner's application that waits for a decision. */
export async function holdNote({ service, owner }: OwnerPages): Promise<string> {
  const parameters = { card: '4711' }
  const json = proposal({ system: 'helpdesk', operation: 'add_note', risk: 'high', parameters })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
  })
  return body.action_id
}

import type { CDPSession, Page } from 'playwright-core'
import type { TestPushService } from '../support/fixtures/push-service.ts'
import type { Person, TestBrowser } from '../support/servers/browser.ts'

type PushBrowser = ReturnType<TestPushService['browser']>

/**
 * The push service of Chromium is in the internet. A stand-in of its PushManager hands out a subscription at the local one; the
 * worker, its messages and its notifications are the browser's own.
 */
export async function subscribable(
  pages: TestBrowser,
  push: TestPushService,
): Promise<Person & { push: PushBrowser }> {
  const person = await pages.person()
  await person.context.grantPermissions(['notifications', 'clipboard-read', 'clipboard-write'])
  const browser = push.browser()
  await person.page.addInitScript(subscription => {
    const kept = 'push-stand-in'
    const made = () => ({
      endpoint: subscription.endpoint,
      options: { applicationServerKey: null },
      toJSON: () => subscription,
      unsubscribe: async () => {
        localStorage.removeItem(kept)
        return true
      },
    })
    const manager = PushManager.prototype as unknown as Record<string, () => Promise<unknown>>
    manager.getSubscription = async () => (localStorage.getItem(kept) === null ? null : made())
    manager.subscribe = async () => {
      localStorage.setItem(kept, 'subscribed')
      return made()
    }
  }, browser.subscription)
  return { ...person, push: browser }
}

/** What the browser shows now. */
export function shown(page: Page): Promise<{ title: string; body: string; data: string }[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration(document.querySelector('script')?.src)
    const all = (await registration?.getNotifications()) ?? []
    return all.map(({ title, body, data }) => ({ title, body, data: String(data) }))
  })
}

/** Gives the worker a message, as the browser does with what it decrypted. */
export async function deliver(
  session: CDPSession,
  { origin, registrationId }: { origin: string; registrationId: string },
  data: object,
): Promise<void> {
  const message = { origin, registrationId, data: JSON.stringify(data) }
  await session.send('ServiceWorker.deliverPushMessage', message)
}

export async function registrationOf(session: CDPSession): Promise<string> {
  const found = new Promise<string>(resolve => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first) resolve(first.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  return found
}

/**
 * A click on every notification. Stand-ins of `openWindow` and `focus` say where each leads, since a browser lets neither be
 * called where no person clicked.
 */
export async function click({ context }: Person): Promise<string[]> {
  const [worker] = context.serviceWorkers()
  if (!worker) throw new Error('there is no worker')
  return worker.evaluate(`(async () => {
    const led = []
    const clicks = await registration.getNotifications()
    const all = new Promise(resolve => {
      const lead = how => { led.push(how); if (led.length === clicks.length) resolve(led); return null }
      clients.openWindow = async url => lead('opened ' + url)
      WindowClient.prototype.focus = async function () { return lead('focused ' + this.url) }
    })
    for (const notification of clicks)
      dispatchEvent(new NotificationEvent('notificationclick', { notification }))
    return all
  })()`)
}

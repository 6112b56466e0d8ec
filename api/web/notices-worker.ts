/**
 * Shows pushed notices in this browser, even while no page is open (approvals.md#in-the-browser). The worker
 * controls no page and stores nothing. `npm run build` bundles it into one script.
 */

/** The parts of the service worker API that this script uses. The types for pages lack them. */
interface WorkerScope {
  registration: { scope: string; showNotification(title: string, options: object): Promise<void> }
  clients: {
    matchAll(options: object): Promise<readonly { url: string; focus(): Promise<unknown> }[]>
    openWindow(url: string): Promise<unknown>
  }
  navigator: { setAppBadge?(count: number): Promise<void> }
  addEventListener<Type extends keyof Happenings>(type: Type, listen: (event: Happenings[Type]) => void): void
}

interface Happenings {
  push: { data: { json(): unknown } | null; waitUntil(done: Promise<unknown>): void }
  notificationclick: {
    notification: { data: unknown; close(): void }
    waitUntil(done: Promise<unknown>): void
  }
}

interface Pushed {
  title: string
  agent: string
  risk: string
  application: string
  waiting: number
  path: string
  tag: string
}

const workerScope = globalThis as unknown as WorkerScope

workerScope.addEventListener('push', event => {
  if (event.data) event.waitUntil(show(event.data.json() as Pushed))
})

workerScope.addEventListener('notificationclick', event => {
  event.notification.close()
  const place = placeOf(event.notification.data)
  if (place !== null) event.waitUntil(lead(place))
})

/**
 * Shows a message. A message that arrives twice appears once, because a notice replaces the earlier one with its
 * tag.
 */
async function show({ title, agent, risk, application, waiting, path, tag }: Pushed): Promise<void> {
  const where = waiting > 1 ? `${application}: ${waiting} wait for a decision` : application
  const body = `${where}\nAgent: ${agent}\nRisk: ${risk}`
  const options = { body, tag, data: path }
  await workerScope.registration.showNotification(title, options)
  await workerScope.navigator.setAppBadge?.(waiting)
}

/** Focuses a tab that already shows the action, or opens a new tab. */
async function lead(place: string): Promise<void> {
  const { clients } = workerScope
  const tabs = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const action = place.slice(place.lastIndexOf('/'))
  const open = tabs.find(({ url }) => new URL(url).pathname.endsWith(action))
  await (open ? open.focus() : clients.openWindow(place))
}

/**
 * Returns the URL of a review page. Opening that page decides nothing. Returns null for any other path, so that a
 * message cannot lead elsewhere.
 */
function placeOf(path: unknown): string | null {
  if (typeof path !== 'string' || !/^\/approve\/[\w.-]+\/act_[0-9a-z]{36}$/.test(path)) return null
  return new URL(`..${path}`, workerScope.registration.scope).href
}

/**
 * Shows what the service pushes to this browser (approvals.md#in-the-browser), also while no page is open. It controls no page
 * and keeps nothing; `npm run build` makes one script of it.
 */

/** What it has of a service worker: the types of pages do not know one. */
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

/** One message is shown once, however often it comes: the next with its tag takes its place. */
async function show({ title, agent, risk, application, waiting, path, tag }: Pushed): Promise<void> {
  const where = waiting > 1 ? `${application}: ${waiting} wait for a decision` : application
  const body = `${where}\nAgent: ${agent}\nRisk: ${risk}`
  const options = { body, tag, data: path }
  await workerScope.registration.showNotification(title, options)
  await workerScope.navigator.setAppBadge?.(waiting)
}

/** To the tab that has the action open already, on whichever page, or to a new one. */
async function lead(place: string): Promise<void> {
  const { clients } = workerScope
  const tabs = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const action = place.slice(place.lastIndexOf('/'))
  const open = tabs.find(({ url }) => new URL(url).pathname.endsWith(action))
  await (open ? open.focus() : clients.openWindow(place))
}

/** A page of this service that decides nothing by being opened; null for anything else. */
function placeOf(path: unknown): string | null {
  if (typeof path !== 'string' || !/^\/approve\/[\w.-]+\/act_[0-9a-z]{36}$/.test(path)) return null
  return new URL(`..${path}`, workerScope.registration.scope).href
}

import type { PushSubscriptionRequest } from '../../../shared/contract/push-schema.ts'
import { basePath } from './base-path.ts'

/** What shows notices in this browser; it controls no page, since its place is below `/ui/`. */
const worker = `${basePath}/ui/notices-worker.js`
const scope = `${basePath}/ui/`

/** What still waits then is shown once more. */
const halfAnHourMs = 1_800_000

/** Whether this browser can show notices at all: it can on https and on this machine. */
export function canNotify(): boolean {
  return 'PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator
}

/** The endpoint of this browser as the service shows it, or null where it has none. */
export async function endpointHere(): Promise<string | null> {
  const endpoint = (await subscriptionHere())?.endpoint
  if (endpoint === undefined) return null
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  const hex = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  return `${new URL(endpoint).origin}/sha256:${hex}`
}

/** Asks the person, then the browser; null where the person refuses. */
export async function subscribeHere(serverKey: string): Promise<PushSubscriptionRequest | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const registration = await navigator.serviceWorker.register(trusted(worker), { scope })
  await active(registration)
  const options = { userVisibleOnly: true, applicationServerKey: serverKey }
  const before = await registration.pushManager.getSubscription()
  // One that was made with another key of the service is of no use any more.
  if (before && keyOf(before) !== serverKey) await before.unsubscribe()
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON()
  return {
    endpoint: endpoint ?? '',
    keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    remind_after_ms: [halfAnHourMs],
  }
}

/** Whoever signs out is shown nothing more here: the push service then ends what is left. */
export async function forgetThisBrowser(): Promise<void> {
  if (!canNotify()) return
  await (await subscriptionHere())?.unsubscribe()
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(scope)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** A browser subscribes once the worker runs. */
function active({ installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const coming = installing ?? waiting
  if (!coming) return Promise.resolve()
  return new Promise(resolve => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve()
    })
  })
}

function keyOf({ options }: PushSubscription): string {
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0)))
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string }
}

let policy: { createScriptURL(url: string): string } | null = null

/** The one script that may be started apart from the page's own (specification.md#web-pages). */
function trusted(url: string): string {
  const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes }
  if (!trustedTypes) return url
  policy ??= trustedTypes.createPolicy('notices-worker', { createScriptURL: () => worker })
  return policy.createScriptURL(url)
}

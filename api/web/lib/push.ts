import type { PushSubscriptionRequest } from '../../../shared/contract/push-schema.ts'
import { basePath } from './base-path.ts'

/** The service worker that shows notices; it controls no page, because its scope is `/ui/`. */
const worker = `${basePath}/ui/notices-worker.js`
const scope = `${basePath}/ui/`

/** Milliseconds after which a notice of a waiting action is shown once more. */
const halfAnHourMs = 1_800_000

/** Returns true if this browser supports notices, which it does only on https and on localhost. */
export function canNotify(): boolean {
  return 'PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator
}

/** Returns this browser's push endpoint in the shortened form that the service shows, or null. */
export async function endpointHere(): Promise<string | null> {
  const endpoint = (await subscriptionHere())?.endpoint
  if (endpoint === undefined) return null
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  const hex = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  return `${new URL(endpoint).origin}/sha256:${hex}`
}

/** Asks the person for permission, then the browser for a subscription; null if the person refuses. */
export async function subscribeHere(serverKey: string): Promise<PushSubscriptionRequest | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const registration = await navigator.serviceWorker.register(trusted(worker), { scope })
  await active(registration)
  const options = { userVisibleOnly: true, applicationServerKey: serverKey }
  const before = await registration.pushManager.getSubscription()
  // A subscription under another server key is useless, since the service cannot push to it.
  if (before && keyOf(before) !== serverKey) await before.unsubscribe()
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON()
  return {
    endpoint: endpoint ?? '',
    keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    remind_after_ms: [halfAnHourMs],
  }
}

/** Unsubscribes at sign-out, so that this browser shows no more notices; the push service refuses later ones. */
export async function forgetThisBrowser(): Promise<void> {
  if (!canNotify()) return
  await (await subscriptionHere())?.unsubscribe()
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(scope)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Waits for the worker to be activated, because a browser subscribes only then. */
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

/** Approves the one script URL that may start apart from the page's own scripts (specification.md#web-pages). */
function trusted(url: string): string {
  const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes }
  if (!trustedTypes) return url
  policy ??= trustedTypes.createPolicy('notices-worker', { createScriptURL: () => worker })
  return policy.createScriptURL(url)
}

import type { PushSubscriptionRequest } from '../../../shared/contract/push-schema.ts'
import { basePath } from './base-path.ts'

/** The service worker that shows notices. It controls no page, because its scope is `/ui/`. */
const worker = `${basePath}/ui/notices-worker.js`
const scope = `${basePath}/ui/`

/** Milliseconds after which the notice of a waiting action is repeated once. */
const halfAnHourMs = 1_800_000

/** Returns true if this browser supports push notices. Browsers support them only on https and on localhost. */
export function canNotify(): boolean {
  return 'PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator
}

/** Returns this browser's push endpoint with its path replaced by a digest, as the service shows it, or null. */
export async function endpointHere(): Promise<string | null> {
  const endpoint = (await subscriptionHere())?.endpoint
  if (endpoint === undefined) return null
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  const hex = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  return `${new URL(endpoint).origin}/sha256:${hex}`
}

/** Asks the person for permission and subscribes this browser to notices. Returns null if the person refuses. */
export async function subscribeHere(serverKey: string): Promise<PushSubscriptionRequest | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const registration = await navigator.serviceWorker.register(trusted(worker), { scope })
  await active(registration)
  const options = { userVisibleOnly: true, applicationServerKey: serverKey }
  const before = await registration.pushManager.getSubscription()
  // A subscription with another server key must go, because the service cannot send to it.
  if (before && keyOf(before) !== serverKey) await before.unsubscribe()
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON()
  return {
    endpoint: endpoint ?? '',
    keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    remind_after_ms: [halfAnHourMs],
  }
}

/** Ends the push subscription of this browser, so that it shows no notices after a sign-out. */
export async function forgetThisBrowser(): Promise<void> {
  if (!canNotify()) return
  await (await subscriptionHere())?.unsubscribe()
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(scope)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Waits until the service worker is active, because a browser subscribes only then. */
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

/** Allows the worker's URL under the Trusted Types policy, and no other URL (specification.md#web-pages). */
function trusted(url: string): string {
  const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes }
  if (!trustedTypes) return url
  policy ??= trustedTypes.createPolicy('notices-worker', { createScriptURL: () => worker })
  return policy.createScriptURL(url)
}

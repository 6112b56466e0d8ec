/// <reference path="./http-ece.d.ts" />
import { createECDH, createPrivateKey } from 'node:crypto'
import { encrypt } from 'http_ece'
import { SignJWT } from 'jose'
import { exchange } from './exchange.ts'
import { answered, type PostBounds, type Posted, responseBytesMax } from './post-message.ts'

export interface PushTarget {
  endpoint: string
  p256dh: string
  auth: string
}

export interface PushMessage {
  target: PushTarget
  keys: { publicKey: string; privateKey: string }
  /** The contact for the push service, as `https:` or `mailto:`. */
  subject: string
  text: string
  /** 16 random bytes used for this message only (RFC 8188). */
  salt: Buffer
  /** Seconds after which the push service may drop the message. */
  ttl: number
  topic: string
}

/** The lifetime of a token. RFC 8292 allows at most 24 hours. */
const tokenLife = '12h'

/**
 * Posts one message to a push service through the egress guard. Encryption for the browser (RFC 8291) hides
 * the message from the push service. A signature of this service (RFC 8292) prevents forged messages.
 */
export async function postPush(message: PushMessage, bounds: PostBounds): Promise<Posted> {
  const { target, ttl, topic } = message
  const url = new URL(target.endpoint)
  const headers = {
    authorization: await authorization(message, url.origin),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    'user-agent': bounds.user_agent,
    ttl: String(ttl),
    topic,
    urgency: 'high',
  }
  const { guard, timeout_ms, signal } = bounds
  const exchanged = await exchange(
    { method: 'POST', url, headers, body: encrypted(message) },
    { guard, timeout_ms, signal, max_response_bytes: responseBytesMax, body: 'dropped' },
  )
  return answered(exchanged)
}

function encrypted({ target: { p256dh, auth }, text, salt }: PushMessage): Buffer {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  return encrypt(Buffer.from(text), {
    version: 'aes128gcm',
    dh: p256dh,
    privateKey: pair,
    salt: salt.toString('base64url'),
    authSecret: auth,
  })
}

async function authorization({ keys, subject }: PushMessage, audience: string): Promise<string> {
  const point = Buffer.from(keys.publicKey, 'base64url')
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', d: keys.privateKey, x, y },
  })
  const token = await new SignJWT({ sub: subject })
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(audience)
    .setExpirationTime(tokenLife)
    .sign(key)
  return `vapid t=${token}, k=${keys.publicKey}`
}

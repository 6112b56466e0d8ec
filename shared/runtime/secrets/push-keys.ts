import { createECDH, ECDH, hkdfSync } from 'node:crypto'

const curve = 'prime256v1'
/** Order of the curve. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The key pair that push services know this service by (VAPID, RFC 8292), both halves in base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/**
 * The key pair is derived from the key of webhooks, so that it lasts as long and needs no setting. A scalar is made of 16 bytes
 * more than it has, which makes every one equally likely (FIPS 186-5, A.2.1).
 */
export function pushKeys(webhookKey: Uint8Array): PushKeys {
  const derived = Buffer.from(hkdfSync('sha256', webhookKey, Buffer.alloc(0), 'gate/web-push/v1\n', 48))
  const scalar = (BigInt(`0x${derived.toString('hex')}`) % (order - 1n)) + 1n
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const pair = createECDH(curve)
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}

/** Whether a browser's public key is a point of the curve: nothing can be encrypted for another one. */
export function isPushKey(p256dh: string): boolean {
  try {
    ECDH.convertKey(Buffer.from(p256dh, 'base64url'), curve, undefined, undefined, 'compressed')
    return true
  } catch {
    return false
  }
}

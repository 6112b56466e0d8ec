/** Encrypted content encoding for HTTP (RFC 8188), as far as it is used here. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  export interface Parameters {
    version: 'aes128gcm'
    /** Public key of the other side, or one's own pair, as the direction asks. */
    dh?: string
    privateKey: ECDH
    salt?: string
    authSecret: string
  }
  export function encrypt(text: Buffer, parameters: Parameters): Buffer
  export function decrypt(bytes: Buffer, parameters: Parameters): Buffer
}

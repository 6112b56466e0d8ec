import { verifierKey } from '../../../shared/audit/note/verifier-key.ts'
import { importPrivateKey, privateKeyPem } from '../../../shared/canon/ed25519.ts'

/** A private key that the tests give away, by the byte its seed is made of. */
export function testKeyPem(seed = 7): string {
  return privateKeyPem(Buffer.alloc(32, seed))
}

/** What a verifier is given of it. */
export function testVerifierKey(seed = 7, name = 'action-gate') {
  return verifierKey(name, importPrivateKey(testKeyPem(seed)).publicKey)
}

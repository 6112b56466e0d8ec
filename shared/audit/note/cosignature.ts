import { type PublicKey, verifyEd25519 } from '../../canon/ed25519.ts'

/**
 * Checks what a witness signed (C2SP tlog-cosignature, cosignature/v1): that it saw the checkpoint with this text, at a
 * time that it names, in Unix seconds. Null where the signature fails or is none.
 */
export function verifyCosignature(
  witness: PublicKey,
  checkpointText: string,
  cosignature: Uint8Array,
): { at: number } | null {
  const read = readCosignature(cosignature)
  if (read === null) return null
  const message = Buffer.from(`cosignature/v1\ntime ${read.at}\n${checkpointText}`)
  return verifyEd25519(witness, message, read.signature) ? { at: read.at } : null
}

/** The time and the signature of a cosignature: 8 bytes, big endian, and 64. Null for another length or a time beyond 2^53-1. */
export function readCosignature(cosignature: Uint8Array): { at: number; signature: Uint8Array } | null {
  if (cosignature.length !== 72) return null
  const at = Buffer.from(cosignature).readBigUInt64BE()
  if (at > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return { at: Number(at), signature: cosignature.subarray(8) }
}

import { keyId } from '../../audit/note/verifier-key.ts'
import { hex } from '../../canon/digest.ts'
import type { SigningKey } from '../../runtime/secrets/signing-key.ts'
import { holdSigningKeys } from '../../store/log/signing-keys.ts'
import type { Writer } from '../../store/postgres/open.ts'

/** The keys of this process that may sign, and go on to until the transaction ends; an error where none may. */
export async function goodSigners(writer: Writer, keys: readonly SigningKey[]): Promise<SigningKey[]> {
  const good = await holdSigningKeys(writer, keys.map(keyIdOf))
  const signers = keys.filter(key => good.has(keyIdOf(key)))
  if (signers.length === 0) throw new Error('none of the signing keys of this process may sign any more')
  return signers
}

/** Its id as lower-case hex. */
export function keyIdOf({ name, privateKey }: SigningKey): string {
  return hex(keyId(name, privateKey.publicKey))
}

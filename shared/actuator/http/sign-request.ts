import type { HttpAuth } from '../../contract/base/credentials.ts'
import { signMessage } from '../sign-message.ts'

/** Headers that prove who sends: a bearer token, or a signature after the Standard Webhooks specification. */
export function signRequest(
  auth: HttpAuth | undefined,
  secrets: ReadonlyMap<string, string>,
  message: { id: string; body: string },
): Record<string, string> {
  if (auth === undefined) return {}
  if (auth.type === 'bearer') return { authorization: `Bearer ${secrets.get(auth.token.env) ?? ''}` }
  return signMessage([secrets.get(auth.key.env) ?? ''], message)
}

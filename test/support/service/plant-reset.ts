import type { Context } from '../../../shared/flow/core/context.ts'
import { newName } from '../../../shared/runtime/ids.ts'
import { hashSecret, newToken } from '../../../shared/runtime/secrets/secret.ts'
import { insertReset, putOffReset, setResetToken } from '../../../shared/store/account/reset-rows.ts'

/** A link to choose a new password, as if its e-mail had left; the token. */
export async function plantReset({ store }: Context, email: string, ms = 60_000): Promise<string> {
  const token = newToken()
  const reset_id = newName('rst')
  await store.change([], async query => {
    await insertReset(query, { reset_id, email, ms })
    await setResetToken(query, reset_id, hashSecret(token))
    await putOffReset(query, reset_id, null)
  })
  return token
}

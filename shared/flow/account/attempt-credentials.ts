import { hex, sha256 } from '../../canon/digest.ts'
import { random32 } from '../../runtime/ids.ts'
import { keepPepper, readPepper } from '../../store/account/accounts.ts'
import type { Context } from '../core/context.ts'
import type { Visitor } from './begin-session.ts'

/** Hash a password as an attempt: counted before it is looked at, and given back where it was not looked at. */
export async function attemptCredentials(
  context: Context,
  credentials: { email: string; password: string },
  { attempts }: Pick<Visitor, 'attempts'>,
  subject: string,
): Promise<Buffer> {
  await attempts.spend(subject)
  try {
    return await hashCredentials(context, credentials)
  } catch (error) {
    await attempts.giveBack(subject)
    throw error
  }
}

/** What attempts at an address are counted under: alike whether or not it has accounts. */
export function addressSubject(email: string): string {
  return `address:${hex(sha256(email))}`
}

/** Hash a password with the pepper of the database, which the first one makes. */
async function hashCredentials(
  context: Context,
  { email, password }: { email: string; password: string },
): Promise<Buffer> {
  const pepper =
    (await context.store.look([], readPepper)) ??
    (await context.store.change([], query => keepPepper(query, random32())))
  return context.hashPassword({ email, password, pepper })
}

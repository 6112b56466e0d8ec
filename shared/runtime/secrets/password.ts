import { hashRaw } from '@node-rs/argon2'
import { hmacSha256 } from '../../canon/digest.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { createBatcher } from '../batcher.ts'

/** An address with a password, and the random number of the database that salts come from. */
export interface Credentials {
  email: string
  password: string
  pepper: Buffer
}

/** Argon2id of a password (specification.md#hosted-accounts): the same for the same address and password, so that it can be looked up. */
export type HashPassword = (credentials: Credentials) => Promise<Buffer>

/** Each takes 19 MiB and a processor for some 20 ms. */
const atOnce = 2
const waitingMax = 32

/** One for a process: few hashes at once, and a line before them that is bounded; beyond it `rate_limited`. */
export function createPasswordHasher(): HashPassword {
  let asked = 0
  const hashed = createBatcher<Credentials, Buffer>({
    size_max: 1,
    groups_max: atOnce,
    run: group => Promise.all(group.map(hashOne)),
  })
  return async credentials => {
    if (asked >= atOnce + waitingMax)
      throw new ServiceError('rate_limited', 'too many people log in just now')
    asked += 1
    try {
      return await hashed(credentials)
    } finally {
      asked -= 1
    }
  }
}

function hashOne({ email, password, pepper }: Credentials): Promise<Buffer> {
  const salt = Buffer.from(hmacSha256(pepper, 'action-gate password v1\n', email), 'hex').subarray(0, 16)
  return hashRaw(password.normalize('NFKC'), {
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
    outputLen: 32,
    salt,
  })
}

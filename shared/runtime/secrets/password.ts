import { hashRaw } from '@node-rs/argon2'
import { hmacSha256 } from '../../canon/digest.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { createBatcher } from '../batcher.ts'

export interface Credentials {
  email: string
  password: string
  pepper: Buffer
}

/**
 * An Argon2id hash of a password (specification.md#hosted-accounts). The same address and password always give the
 * same hash, so that the database can look it up.
 */
export type HashPassword = (credentials: Credentials) => Promise<Buffer>

/** Each hash takes 19 MiB of memory and about 20 ms of a processor. */
const atOnce = 2
const waitingMax = 32

/**
 * Creates the hasher of a process, which runs two hashes at once and lets 32 wait. Any further hash is rejected
 * with `rate_limited`, because a hash costs much memory and time.
 */
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

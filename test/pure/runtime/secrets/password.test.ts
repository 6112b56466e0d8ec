import { hashRaw } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { hmacSha256 } from '../../../../shared/canon/digest.ts'
import { createPasswordHasher } from '../../../../shared/runtime/secrets/password.ts'

const pepper = Buffer.alloc(32, 7)
const credentials = { email: 'owner@example.org', password: 'a long phrase nobody guesses', pepper }
const hash = createPasswordHasher()

it('is argon2id under a salt of pepper and address', async () => {
  const salt = Buffer.from(hmacSha256(pepper, 'action-gate password v1\n', credentials.email), 'hex')
  const expected = await hashRaw(credentials.password, {
    algorithm: 2,
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
    outputLen: 32,
    salt: salt.subarray(0, 16),
  })
  expect(await hash(credentials)).toEqual(expected)
})

it('differs by address, password and pepper, and not by how a letter is composed', async () => {
  const others = await Promise.all([
    hash(credentials),
    hash({ ...credentials, email: 'other@example.org' }),
    hash({ ...credentials, password: 'a long phrase nobody guessed' }),
    hash({ ...credentials, pepper: Buffer.alloc(32, 8) }),
  ])
  expect(new Set(others.map(other => other.toString('hex'))).size).toBe(4)
  const composed = await hash({ ...credentials, password: 'ein schöner langer satz' })
  expect(await hash({ ...credentials, password: 'ein scho\u0308ner langer satz' })).toEqual(composed)
})

it('refuses more than wait in line, and takes others once they are done', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => hash(credentials)))
  const refused = answers.filter(answer => answer.status === 'rejected')
  expect(refused).toHaveLength(6)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'rate_limited' })
  expect(await hash(credentials)).toHaveLength(32)
})

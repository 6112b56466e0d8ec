import { expect, it } from 'vitest'
import { createTurns } from '../../../shared/runtime/turns.ts'

/** Who began, in order; each ends when it is told to. */
function createTrial(atOnce: number) {
  const turns = createTurns(atOnce)
  const began: string[] = []
  const ends: (() => void)[] = []
  const wait = (name: string): void =>
    void turns.wait(name).then(end => {
      began.push(name)
      ends.push(end)
    })
  const settle = () => new Promise(resolve => setImmediate(resolve))
  const finish = async (): Promise<void> => {
    ends.shift()?.()
    await settle()
  }
  return { began, wait, finish, settle }
}

it('one that comes late waits for one of each other name, not for all of them', async () => {
  const { began, wait, finish, settle } = createTrial(1)
  for (let times = 0; times < 5; times += 1) wait('greedy')
  wait('other')
  await settle()
  await finish()
  wait('late')
  for (let times = 0; times < 8; times += 1) await finish()
  expect(began).toEqual(['greedy', 'greedy', 'other', 'greedy', 'late', 'greedy', 'greedy'])
})

it('as many as may go at once begin without waiting', async () => {
  const { began, wait, finish, settle } = createTrial(2)
  for (const name of ['a', 'b', 'c']) wait(name)
  await settle()
  expect(began).toEqual(['a', 'b'])
  await finish()
  expect(began).toEqual(['a', 'b', 'c'])
})

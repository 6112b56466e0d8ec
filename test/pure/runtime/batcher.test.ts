import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBatcher } from '../../../shared/runtime/batcher.ts'

/** A batcher whose groups end when the test says so. */
function slowBatcher(
  options: {
    size_max?: number
    groups_max?: number
    crowd?: number
    gathers?: boolean
    isOfAll?(error: unknown): boolean
  } = {},
) {
  const groups: { items: number[]; end(): void; fail(error: Error): void }[] = []
  const batcher = createBatcher<number, number>({
    size_max: 10,
    groups_max: 1,
    ...options,
    run: items =>
      new Promise((resolve, reject) => {
        groups.push({ items, end: () => resolve(items.map(item => item * 10)), fail: reject })
      }),
  })
  const sizes = () => groups.map(({ items }) => items.length)
  return { batcher, groups, sizes }
}

describe('a batcher', () => {
  it('lets the first item leave alone and gathers those that come meanwhile', async () => {
    const { batcher, groups, sizes } = slowBatcher()
    const answers = [1, 2, 3].map(batcher)
    expect(sizes()).toEqual([1])
    groups[0]?.end()
    expect(await answers[0]).toBe(10)
    await turn()
    expect(sizes()).toEqual([1, 2])
    groups[1]?.end()
    expect(await Promise.all(answers)).toEqual([10, 20, 30])
  })

  it('fills no group beyond its size', async () => {
    const { batcher, groups, sizes } = slowBatcher({ size_max: 2 })
    const answers = [1, 2, 3, 4].map(batcher)
    for (let at = 0; at < 3; at += 1) {
      groups[at]?.end()
      await turn()
    }
    expect(sizes()).toEqual([1, 2, 1])
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40])
  })

  it('has as many groups under way as it may', () => {
    const { batcher, sizes } = slowBatcher({ groups_max: 2 })
    for (const item of [1, 2, 3, 4]) void batcher(item)
    expect(sizes()).toEqual([1, 1])
  })

  it('sends a group beside another only for a crowd, and the rest after that one', async () => {
    const { batcher, groups, sizes } = slowBatcher({ groups_max: 2, crowd: 3 })
    const answers = [1, 2, 3].map(batcher)
    expect(sizes()).toEqual([1])
    answers.push(batcher(4))
    expect(sizes()).toEqual([1, 3])
    answers.push(batcher(5))
    groups[1]?.end()
    await turn()
    expect(sizes()).toEqual([1, 3])
    groups[0]?.end()
    await turn()
    expect(sizes()).toEqual([1, 3, 1])
    groups[2]?.end()
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50])
  })

  it('sends the next group on its way before the last one is told', async () => {
    const { batcher, groups, sizes } = slowBatcher()
    const departedWhenTold = batcher(1).then(() => sizes())
    void batcher(2)
    groups[0]?.end()
    expect(await departedWhenTold).toEqual([1, 1])
  })

  it('that gathers lets the items of one turn leave together', async () => {
    const { batcher, sizes } = slowBatcher({ gathers: true })
    for (const item of [1, 2, 3]) void batcher(item)
    expect(sizes()).toEqual([])
    await turn()
    expect(sizes()).toEqual([3])
  })

  it('goes on after a failure', async () => {
    const { batcher, groups } = slowBatcher()
    const failing = batcher(1)
    const after = batcher(2)
    groups[0]?.fail(new Error('down'))
    await expect(failing).rejects.toThrow('down')
    groups[1]?.end()
    expect(await after).toBe(20)
  })

  it('lets only the bad item of a group fail', async () => {
    const batcher = createBatcher<number, number>({
      size_max: 10,
      groups_max: 1,
      async run(items) {
        if (items.includes(13)) throw new Error('unlucky')
        return items
      },
    })
    const answers = await Promise.allSettled([1, 12, 13, 14].map(batcher))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  })

  it('runs a group once more that met an error of all at once, and no item of it alone', async () => {
    const groups: number[][] = []
    const batcher = createBatcher<number, number>({
      size_max: 10,
      groups_max: 1,
      gathers: true,
      isOfAll: () => true,
      async run(items) {
        groups.push(items)
        if (groups.length === 1) throw new Error('lost')
        return items
      },
    })
    expect(await Promise.all([1, 2, 3].map(batcher))).toEqual([1, 2, 3])
    expect(groups).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
  })

  it('tells all who wait of an error of all, once every group has met it', async () => {
    const { batcher, groups, sizes } = slowBatcher({ size_max: 1, groups_max: 2, isOfAll: () => true })
    const answers = [1, 2, 3, 4, 5].map(batcher)
    const told = Promise.allSettled(answers)
    const lost = new Error('lost')
    const failTwice = async (at: number, again: number) => {
      groups[at]?.fail(lost)
      await turn()
      groups[again]?.fail(lost)
      await turn()
    }
    await failTwice(0, 2)
    await expect(answers[0]).rejects.toBe(lost)
    expect(sizes()).toEqual([1, 1, 1, 1])
    await failTwice(1, 4)
    await Promise.all([answers[1], answers[3], answers[4]].map(answer => expect(answer).rejects.toBe(lost)))
    groups[3]?.end()
    expect((await told).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
    ])
  })

  it('tells them at once where they wait for a crowd, and no other group is under way', async () => {
    const { batcher, groups, sizes } = slowBatcher({ groups_max: 2, crowd: 3, isOfAll: () => true })
    const answers = [1, 2, 3].map(batcher)
    const told = Promise.allSettled(answers)
    groups[0]?.fail(new Error('lost'))
    await turn()
    groups[1]?.fail(new Error('lost'))
    expect((await told).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(sizes()).toEqual([1, 1])
  })

  it('runs item by item after any other error, whoever waits', async () => {
    const { batcher, groups } = slowBatcher({ isOfAll: () => false })
    const answers = Promise.allSettled([1, 2].map(batcher))
    groups[0]?.fail(new Error('locked'))
    await turn()
    groups[1]?.end()
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../chaos/faults/seeded-random.ts'
import { judge, type Point, type Series } from '../../soak/judge.ts'

const minutes = 10
const everyS = 5
const samples = (minutes * 60) / everyS

function series(value: (at: number, turn: number) => number): Series {
  const points: Point[] = Array.from({ length: samples }, (_, turn) => ({
    at: turn * everyS,
    value: value(turn * everyS, turn),
  }))
  return { name: 'memory', unit: 'MiB', points, grain: 1 }
}

/** Between -half and half, the same in every run. */
function noise(seed: number, half: number): () => number {
  const random = seededRandom(seed, 'noise')
  return () => (random.between(0, 2_000) / 1_000 - 1) * half
}

const verdictOf = (value: (at: number, turn: number) => number) => judge(series(value)).verdict

/** What a heap does: it fills up and is collected. */
const sawtooth = (turn: number): number => (turn % 7) * 3

describe('the judge of a soak', () => {
  it('calls a line flat that does not move', () => {
    expect(judge(series(() => 100))).toMatchObject({ verdict: 'flat', rise: 0, certainty: 0, level: 100 })
  })

  it('calls noise flat, whatever it looks like', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const drawn = noise(seed, 10)
      expect(
        verdictOf((_, turn) => 100 + sawtooth(turn) + drawn()),
        `seed ${seed}`,
      ).toBe('flat')
    }
  })

  it('finds a planted leak under the noise and the garbage of a heap', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const drawn = noise(seed, 1)
      const leaking = judge(series((at, turn) => 100 + sawtooth(turn) + drawn() + at / 60))
      expect(leaking.verdict, `seed ${seed}`).toBe('growing')
      expect(leaking.rise).toBeGreaterThan(4)
      expect(leaking.rise).toBeLessThan(9)
    }
  })

  it('finds handles that are lost one at a time', () => {
    expect(verdictOf(at => 40 + Math.floor(at / 60))).toBe('growing')
  })

  it('calls a warm-up flat, even one that takes longer than the first third', () => {
    for (const lasting of [20, 60, 100]) {
      expect(
        verdictOf(at => 100 - 60 * Math.exp(-at / lasting)),
        `${lasting} s`,
      ).toBe('flat')
    }
  })

  it('calls one step flat that comes to rest, and what falls', () => {
    expect(verdictOf(at => (at < 350 ? 100 : 110))).toBe('flat')
    expect(verdictOf(at => 200 - at / 10)).toBe('flat')
  })

  it('lets pass what rises by less than the grain, or by less than the bound', () => {
    expect(verdictOf(at => 100 + at / 1_000)).toBe('flat')
    expect(verdictOf(at => 100_000 + at / 100)).toBe('flat')
  })

  it('shows what tells of the machine too, and judges it not', () => {
    expect(judge({ ...series(at => 100 + at), grain: null }).verdict).toBe('shown')
  })

  it('says of a short run that it says nothing', () => {
    const { points, ...rest } = series(at => 100 + at)
    expect(judge({ ...rest, points: points.slice(0, 20) }).verdict).toBe('too_short')
    expect(judge({ ...rest, points: [] }).verdict).toBe('too_short')
  })
})

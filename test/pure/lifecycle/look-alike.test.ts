import { describe, expect, it } from 'vitest'
import { lookAlike, skeletonOf } from '../../../shared/lifecycle/look-alike.ts'

describe('names that look alike', () => {
  it.each([
    ['Cyrillic', 'Ada', '\u0410d\u0430'],
    ['Greek', 'Ann Tone', '\u0391nn T\u03bfne'],
    ['Armenian', 'honu', '\u0570\u0585\u0578\u057d'],
    ['Cherokee', 'DAVE', '\u13a0\u13aa\u13d9\u13ac'],
    ['full width', 'Ada', '\uff21\uff44\uff41'],
    ['mathematical letters', 'Ada', '\u{1d400}\u{1d41d}\u{1d41a}'],
    ['a small l for a capital I', 'Ivan', 'lvan'],
    ['a digit for a letter', 'Olga', '0lga'],
    ['rn for m', 'Emma', 'Ernrna'],
    ['nothing that is seen', 'Ada', 'A\u200bd\u2060a'],
    ['an apostrophe', "O'Brien", 'O\u2019Brien'],
  ])('are found through %s', (_, one, other) => {
    expect(lookAlike(one, other)).toBe(true)
  })

  it.each([
    ['Ada', 'Eda'],
    ['Ada', 'Adam'],
    ['Zoë', 'Zoe'],
    ['Борис', 'Глеб'],
  ])('are not %s and %s', (one, other) => {
    expect(lookAlike(one, other)).toBe(false)
  })

  it('have one skeleton, which is its own', () => {
    for (const name of ['\u0410d\u0430', 'Emma', '0lga'])
      expect(skeletonOf(skeletonOf(name))).toBe(skeletonOf(name))
  })
})

import { describe, expect, test } from 'vitest'
import { documents } from '../support/documents.ts'
import { sentencesOf, wordsOf } from '../support/prose.ts'

const pages = documents().filter(path => path === 'README.md' || path.startsWith('api/docs/'))

describe.each(pages)('the sentences of %s', page => {
  const sentences = sentencesOf(page)

  test('have at most 20 words each', () => {
    expect(sentences.length).toBeGreaterThan(5)
    expect(sentences.filter(sentence => wordsOf(sentence).length > 20)).toEqual([])
  })

  test('use neither "is told" nor "stands"', () => {
    expect(
      sentences.filter(sentence => /\b(?:is|are|was|were|be|been) told\b|\bstands\b/.test(sentence)),
    ).toEqual([])
  })
})

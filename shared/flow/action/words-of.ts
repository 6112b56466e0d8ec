import { limits } from '../../contract/base/limits.ts'

/** The words of a search, up to a bound. */
export function wordsOf(search = ''): string[] {
  const words = search.split(/\s+/).filter(word => word !== '')
  return words.slice(0, limits.search_words_max)
}

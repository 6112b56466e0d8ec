import MiniSearch from 'minisearch'
import { searchOptions } from '../../web/search-options.ts'
import type { RenderedPage } from './render-markdown.ts'

const excerptMax = 180

/** Builds the index for the search of the pages, with one entry per section. */
export function buildSearchIndex(pages: ReadonlyMap<string, RenderedPage>): string {
  const index = new MiniSearch(searchOptions)
  for (const [name, { title, sections }] of pages) {
    for (const { heading, text } of sections) {
      const anchor = heading.depth === 1 ? '' : `#${heading.slug}`
      const excerpt = text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text
      index.add({ id: `/docs/${name}${anchor}`, page: title, heading: heading.text, text, excerpt })
    }
  }
  return JSON.stringify(index)
}

import { groupPages } from './doc-groups.ts'
import { escapeHtml } from './escape-html.ts'
import type { Heading, RenderedPage } from './render-markdown.ts'

export type Site = ReadonlyMap<string, SiteEntry>

export interface SiteEntry {
  title: string
  lead: string
}

export function navigation(site: Site, current: string): string {
  const groups = groupPages([...site.keys()]).map(({ reader, pages }) => {
    const links = pages.map(name => {
      const here = name === current ? ' aria-current="page"' : ''
      return `<li><a href="/docs/${name}"${here}>${titleOf(site, name)}</a></li>`
    })
    return `<li><span class="reader">${escapeHtml(reader)}</span><ul>${links.join('')}</ul></li>`
  })
  return `<ul class="pages">${groups.join('\n')}</ul>`
}

export function tableOfContents({ headings }: RenderedPage): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (listed.length < 2) return ''
  const link = ({ slug, text, depth }: Heading) =>
    `<li class="depth-${depth}"><a href="#${slug}">${escapeHtml(text)}</a></li>`
  return `<ul class="contents">${listed.map(link).join('')}</ul>`
}

export function neighbours(site: Site, current: string): string {
  const order = groupPages([...site.keys()]).flatMap(({ pages }) => pages)
  const at = order.indexOf(current)
  const link = (name: string | undefined, kind: 'prev' | 'next', words: string) =>
    name === undefined
      ? ''
      : `<a rel="${kind}" href="/docs/${name}"><span>${words}</span> ${titleOf(site, name)}</a>`
  return link(order[at - 1], 'prev', 'Before') + link(order[at + 1], 'next', 'Next')
}

export function indexContent(site: Site): string {
  const groups = groupPages([...site.keys()]).map(({ reader, pages }) => {
    const items = pages.map(name => {
      const lead = firstSentence(site.get(name)?.lead ?? '')
      return `<li><a href="/docs/${name}">${titleOf(site, name)}</a><p>${escapeHtml(lead)}</p></li>`
    })
    return `<section><h2>${escapeHtml(reader)}</h2><ul class="cards">${items.join('\n')}</ul></section>`
  })
  return `<h1>Documents</h1>\n<p>${indexLead}</p>\n${groups.join('\n')}`
}

const indexLead =
  'Action Gate decides, routes for approval, executes and records what agents want to do. ' +
  'Each page is for one reader: choose yours, or search.'

function firstSentence(text: string): string {
  return /^.+?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function titleOf(site: Site, name: string): string {
  return escapeHtml(site.get(name)?.title ?? name)
}

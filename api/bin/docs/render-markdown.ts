import { posix } from 'node:path'
import GithubSlugger from 'github-slugger'
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { highlight } from './highlight.ts'

export interface Heading {
  depth: number
  slug: string
  text: string
}

export interface Section {
  heading: Heading
  text: string
}

export interface RenderedPage {
  title: string
  lead: string
  html: string
  headings: readonly Heading[]
  sections: readonly Section[]
  files: readonly string[]
}

/** Returns the URL of a file that is served beside the pages; null if it is only in the repository. */
export type ResolveFile = (path: string) => string | null

const folder = 'api/docs'

/** Renders a page from Markdown. Headings get the anchors of a code host, so that links work in both places. */
export function renderMarkdown(markdown: string, resolveFile: ResolveFile): RenderedPage {
  const files = new Set<string>()
  const resolve = (href: string): string | null => {
    if (/^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return href
    const [path = '', anchor] = href.split('#')
    const target = posix.normalize(posix.join(folder, path))
    const [, page] = new RegExp(`^${folder}/([\\w-]+)\\.md$`).exec(target) ?? []
    const suffix = anchor === undefined ? '' : `#${anchor}`
    if (page !== undefined) return `/docs/${page}${suffix}`
    // Links to README anchors have no target, because its readers are those of the repository.
    if (target === 'README.md') return anchor === undefined ? '/docs' : null
    files.add(target)
    return resolveFile(target)
  }
  const headings: Heading[] = []
  const marked = new Marked({ gfm: true, renderer: rendererOf(headings, resolve) })
  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  const first = tokens.find(token => token.type === 'paragraph')
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? '',
    lead: first ? textOf(first) : '',
    html,
    headings,
    sections: sectionsOf(tokens, headings),
    files: [...files],
  }
}

function rendererOf(headings: Heading[], resolve: (href: string) => string | null): RendererObject {
  const slugger = new GithubSlugger()
  return {
    heading({ tokens, depth }) {
      const text = tokens.map(textOf).join('')
      const slug = slugger.slug(text)
      headings.push({ depth, slug, text })
      const inner = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1 id="${slug}">${inner}</h1>\n`
      const label = escapeHtml(`Link to “${text}”`)
      const anchor = `<a class="anchor" href="#${slug}" aria-label="${label}">#</a>`
      return `<div class="heading"><h${depth} id="${slug}">${inner}</h${depth}>${anchor}</div>\n`
    },
    code({ text, lang }) {
      const language = lang?.split(/\s/)[0] ?? ''
      return `<div class="code"><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>\n`
    },
    table({ header, rows }) {
      const line = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
        `<tr>${cells.map(cell => cellOf(tag, cell, this.parser.parseInline(cell.tokens))).join('')}</tr>`
      const body = rows.map(row => line(row, 'td')).join('\n')
      return (
        '<div class="table" tabindex="0" role="group" aria-label="Table"><table>' +
        `<thead>${line(header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`
      )
    },
    link({ href, title, tokens }) {
      const inner = this.parser.parseInline(tokens)
      const target = resolve(href)
      if (target === null) return `<span class="file" title="${escapeHtml(href)}">${inner}</span>`
      const titled = title ? ` title="${escapeHtml(title)}"` : ''
      return `<a href="${escapeHtml(target)}"${titled}>${inner}</a>`
    },
    image({ href, text }) {
      return `<img src="${escapeHtml(resolve(href) ?? href)}" alt="${escapeHtml(text)}" loading="lazy">`
    },
    /** Removes comments, since they only mark generated parts for programs. */
    html({ text }) {
      return text.replaceAll(/<!--.*?-->/gs, '')
    },
  }
}

/** An empty heading, as over a table's first column, becomes an ordinary cell. */
function cellOf(tag: 'th' | 'td', { align, text }: Tokens.TableCell, inner: string): string {
  const aligned = align ? ` class="${align}"` : ''
  if (tag === 'th' && text !== '') return `<th scope="col"${aligned}>${inner}</th>`
  return `<td${aligned}>${inner}</td>`
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: { heading: Heading; parts: string[] }[] = []
  let at = 0
  for (const token of tokens) {
    const heading = token.type === 'heading' ? headings[at++] : undefined
    if (heading) sections.push({ heading, parts: [] })
    else sections.at(-1)?.parts.push(textOf(token))
  }
  return sections.map(({ heading, parts }) => ({
    heading,
    text: parts.join(' ').replaceAll(/\s+/g, ' ').trim(),
  }))
}

function textOf(token: Token): string {
  if (token.type === 'table') return tableText(token as Tokens.Table)
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ')
  if (token.type === 'html' || token.type === 'space') return ''
  if ('tokens' in token && token.tokens) return token.tokens.map(textOf).join('')
  return 'text' in token ? unescapeText(String(token.text)) : ' '
}

function tableText({ header, rows }: Tokens.Table): string {
  return [header, ...rows].flatMap(row => row.map(({ tokens }) => tokens.map(textOf).join(''))).join(' ')
}

function unescapeText(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

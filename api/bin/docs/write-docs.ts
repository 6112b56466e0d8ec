import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { errorPage } from './error-page.ts'
import { escapeHtml } from './escape-html.ts'
import { indexContent, navigation, neighbours, type Site, tableOfContents } from './page-parts.ts'
import { modelsPage, referenceNames, referencePage } from './reference-page.ts'
import { type RenderedPage, renderMarkdown } from './render-markdown.ts'
import { buildSearchIndex } from './search-index.ts'

export interface DocsFolders {
  root: string
  web: string
}

export async function writeDocs(folders: DocsFolders): Promise<void> {
  const target = join(folders.web, 'docs')
  await mkdir(target, { recursive: true })
  const pages = await readPages(folders.root)
  await copyFiles(folders, pages)
  pages.set('api', referencePage())
  const site: Site = pages
  const index = buildSearchIndex(pages)
  const indexName = `assets/docs-search-${digestOf(index)}.json`
  await writeFile(join(folders.web, indexName), index)
  const common = (name: string) => ({ NAVIGATION: navigation(site, name), SEARCH: `/ui/${indexName}` })
  const template = await readFile(join(folders.web, 'docs.html'), 'utf8')
  const write = (name: string, parts: Readonly<Record<string, string>>) =>
    writeFile(join(target, `${name}.html`), fill(template, { ...common(name), ...parts }))
  for (const [name, page] of pages) await write(name, pageParts(site, name, page))
  const first = { TITLE: 'Documents', CONTENTS: '', CONTENT: indexContent(site), NEIGHBOURS: '' }
  await write('index', first)
  await write('api-models', pageParts(site, 'api', modelsPage()))
  for (const [name, audience] of referenceNames) {
    if (audience !== undefined) await write(name, pageParts(site, 'api', referencePage(audience)))
  }
}

export async function readPages(root: string): Promise<Map<string, RenderedPage>> {
  const folder = join(root, 'api', 'docs')
  const names = (await readdir(folder)).filter(name => extname(name) === '.md').sort()
  const pages = new Map<string, RenderedPage>()
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    pages.set(basename(name, '.md'), renderMarkdown(text, servedFile))
  }
  pages.set('errors', renderMarkdown(errorPage(), servedFile))
  return pages
}

/** Files that are served beside the pages: pictures, and configuration files for operators. */
const served = /^api\/(?:web\/pictures\/[\w-]+\.(?:png|svg)|operate\/[\w-]+\.(?:yml|json))$/

function servedFile(path: string): string | null {
  return served.test(path) ? `/ui/docs/${basename(path)}` : null
}

async function copyFiles({ root, web }: DocsFolders, pages: ReadonlyMap<string, RenderedPage>) {
  const files = new Set(
    [...pages.values()].flatMap(page => page.files).filter(path => servedFile(path) !== null),
  )
  for (const path of files) await copyFile(join(root, path), join(web, 'docs', basename(path)))
}

function pageParts(site: Site, name: string, page: RenderedPage): Record<string, string> {
  return {
    TITLE: escapeHtml(page.title),
    CONTENTS: tableOfContents(page),
    CONTENT: page.html,
    NEIGHBOURS: neighbours(site, name),
  }
}

/** Fills each `<!-- NAME -->` of the template, or `PAGE-NAME` where HTML allows no comment; unknown names stay. */
export function fill(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/<!-- ([A-Z]+) -->|PAGE-([A-Z]+)/g, (whole, comment?: string, word?: string) => {
    return parts[comment ?? word ?? ''] ?? whole
  })
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

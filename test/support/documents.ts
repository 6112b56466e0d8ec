import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { repositoryRoot } from './repository-root.ts'

const folders = ['api', 'drizzle', 'shared', 'test', 'worker']

/** Every Markdown file of the repository, by its path from the root. */
export function documents(): string[] {
  const below = folders.flatMap(folder => markdownBelow(folder))
  return ['README.md', ...below].sort()
}

/** The commands that a document prints, in order: its blocks in `sh`, of one section where it is named. */
export function commandsOf(document: string, section?: string): string[] {
  const page = readDocument(document)
  const text = section === undefined ? page : sectionOf(page, section)
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** The places of the repository that a document names in code, as `api/http/app.ts`; tests also without their folder. */
export function pathsOf(document: string): string[] {
  const names = withoutCode(readDocument(document)).matchAll(
    /`((?:[a-z-]+\/)+[A-Za-z0-9_.-]+\.(?:ts|mjs|sql|sh|yml|json))`/g,
  )
  return [...names].map(([, name = '']) => name)
}

/** The scripts of package.json that a document tells its reader to run. */
export function scriptsOf(document: string): string[] {
  const lines = readDocument(document).matchAll(/\bnpm (?:run (?:-s )?)?([a-z]+(?:[:-][a-z]+)*)\b/g)
  return [...lines].map(([, name = '']) => name).filter(name => !ownCommands.has(name))
}

/** Commands of npm itself, and words that follow its name in a sentence. */
const ownCommands = new Set([
  'ci',
  'install',
  'audit',
  'sbom',
  'alone',
  'and',
  'knows',
  'of',
  'package',
  'passes',
])

/** The links of a document to places in the repository: a path from the root, and an anchor or null. */
export function linksOf(document: string): { link: string; path: string; anchor: string | null }[] {
  const links = withoutCode(readDocument(document)).matchAll(/\]\(([^)\s]+)\)/g)
  return [...links]
    .map(([, link = '']) => link)
    .filter(link => !/^(https?:|\/)/.test(link))
    .map(link => {
      const [file = '', anchor = null] = link.split('#')
      return { link, path: file === '' ? document : normalize(join(document, '..', file)), anchor }
    })
}

/** The anchors of a document: its headings as code hosts name them. */
export function anchorsOf(document: string): string[] {
  const headings = withoutCode(readDocument(document)).matchAll(/^#{1,6} (.+)$/gm)
  return [...headings].map(([, heading = '']) => anchorOf(heading))
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-')
}

export function readDocument(document: string): string {
  return readFileSync(join(repositoryRoot, document), 'utf8')
}

function sectionOf(page: string, section: string): string {
  const [, text = ''] = page.split(new RegExp(`^## ${section}$`, 'm'))
  return text.split(/^## /m)[0] ?? ''
}

function withoutCode(page: string): string {
  return page.replaceAll(/^```.*?^```$/gms, '')
}

function markdownBelow(folder: string): string[] {
  const entries = readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
  return entries
    .filter(name => name.endsWith('.md') && !name.includes('node_modules'))
    .map(name => join(folder, name))
}

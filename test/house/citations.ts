import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '../architecture/source-tree.ts'
import { anchorsOf, documents, linksOf, readDocument } from '../support/documents.ts'
import { repositoryRoot } from '../support/repository-root.ts'

interface Citation {
  /** Where it stands. */
  in: string
  path: string
  anchor: string | null
}

/** What comments, messages and rules of the code cite of the documents. */
export function citationsOfCode(): Citation[] {
  const files = listFiles(['api', 'shared', 'test', 'worker']).filter(path =>
    /\.(ts|tsx|mjs|yml)$/.test(path),
  )
  return files.flatMap(file =>
    [...readDocument(file).matchAll(/\b(?:api\/docs\/)?([a-z-]+\.md)#([a-z-]+)/g)].map(
      ([, page = '', anchor = '']) => ({ in: file, path: `api/docs/${page}`, anchor }),
    ),
  )
}

/** The links of one document, or of all. */
export function linksOfDocuments(which: readonly string[] = documents()): Citation[] {
  return which.flatMap(document =>
    linksOf(document).map(({ path, anchor }) => ({ in: document, path, anchor })),
  )
}

/** Those that lead nowhere in this repository. */
export function dead(citations: readonly Citation[]): string[] {
  return citations
    .filter(({ path, anchor }) => !isAlive(path, anchor))
    .map(({ in: place, path, anchor }) => `${place}: ${path}${anchor === null ? '' : `#${anchor}`}`)
}

function isAlive(path: string, anchor: string | null): boolean {
  if (!existsSync(join(repositoryRoot, path))) return false
  return anchor === null || anchorsOf(path).includes(anchor)
}

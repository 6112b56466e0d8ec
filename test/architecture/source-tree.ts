import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { repositoryRoot } from '../support/repository-root.ts'

/** A source file as it stands in the working tree; `path` is relative to the repository, with forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** Parsed when it is first looked at. */
  readonly tree: ts.SourceFile
}

/** Several tests of one process read the same tree. */
const read = new Map<string, SourceFile>()

/** The folders that ship. */
export const productFolders = ['api', 'shared', 'worker'] as const

/** Every TypeScript and JavaScript file of the folders. */
export function readSources(folders: readonly string[]): SourceFile[] {
  return listFiles(folders)
    .filter(path => /\.(ts|tsx|mjs)$/.test(path))
    .map(path => {
      const source = read.get(path) ?? parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8'))
      read.set(path, source)
      return source
    })
}

export function parseSource(path: string, text: string): SourceFile {
  let tree: ts.SourceFile | undefined
  return {
    path,
    text,
    get tree() {
      tree ??= ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
      return tree
    },
  }
}

/** Every file of the folders, in a stable order. */
export function listFiles(folders: readonly string[]): string[] {
  return folders.flatMap(folder =>
    readdirSync(join(repositoryRoot, folder), { withFileTypes: true }).flatMap(entry => {
      const path = `${folder}/${entry.name}`
      if (!entry.isDirectory()) return [path]
      return entry.name === 'node_modules' ? [] : listFiles([path])
    }),
  )
}

/** Every node below `root`, in the order of the text. */
export function nodesOf(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = []
  const add = (node: ts.Node): void => {
    nodes.push(node)
    node.forEachChild(add)
  }
  add(root)
  return nodes
}

export function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = []
  node.forEachChild(child => {
    children.push(child)
  })
  return children
}

/** Where a node stands, as editors read it: `path:line`. */
export function placeOf(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${lineOf(file, node.getStart())}`
}

export function lineOf(file: SourceFile, position: number): number {
  return file.tree.getLineAndCharacterOfPosition(position).line + 1
}

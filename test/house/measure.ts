import { basename, dirname } from 'node:path'

/** Folders with more than `max` files of their own, with their number. */
export function foldersOver(paths: readonly string[], max: number): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > max).map(([folder, count]) => `${folder}: ${count}`)
}

/** Names of files that stand in more than one folder, each with its paths. */
export function baseNamesTwice(paths: readonly string[]): string[] {
  const homes = new Map<string, string[]>()
  for (const path of paths) homes.set(basename(path), [...(homes.get(basename(path)) ?? []), path])
  return [...homes]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${name}: ${found.join(', ')}`)
}

/** Paths of files with fewer than `min` lines. */
export function shortFiles(files: readonly { path: string; text: string }[], min: number): string[] {
  return files
    .filter(({ text }) => lineCount(text) < min)
    .map(({ path, text }) => `${path}: ${lineCount(text)}`)
}

export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** Words as a reader counts them: what stands between white space, code included. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter(word => word !== '').length
}

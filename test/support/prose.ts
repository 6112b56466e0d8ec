import { readDocument } from './documents.ts'

/** The sentences of a document's paragraphs and lists: without tables, code, headings and what the code generates. */
export function sentencesOf(document: string): string[] {
  return proseOf(readDocument(document)).flatMap(block => block.split(/(?<=[.!?][)"*_]*) +(?=\S)/))
}

/** The words of a sentence: code counts as one, a link as its text. */
export function wordsOf(sentence: string): string[] {
  return sentence.split(/\s+/).filter(word => /[A-Za-z0-9]/.test(word))
}

function proseOf(page: string): string[] {
  const text = page
    .replaceAll(/^<!-- ([a-z-]+):begin -->$.*?^<!-- \1:end -->$/gms, '')
    .replaceAll(/^ *```.*?^ *```$/gms, '\n')
    .replaceAll(/^(#|\||<|!\[).*$/gm, '\n')
    .replaceAll(/^ *([-*]|\d+\.) /gm, '\n')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
  return text
    .split(/\n{2,}/)
    .map(block => block.replaceAll(/\s+/g, ' ').trim())
    .filter(block => block !== '')
}

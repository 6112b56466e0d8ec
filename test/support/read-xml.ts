export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

/**
 * Reads XML without namespaces, comments, sections and document types, and throws at whatever is not well-formed: what
 * is not matched, names that stand twice, characters and entities that XML 1.0 does not know.
 */
export function readXml(text: string): XmlElement {
  const body = withoutDeclaration(text)
  const open: XmlElement[] = [{ name: '', attributes: {}, children: [], text: '' }]
  const token = /<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|([^<]+)/y
  while (token.lastIndex < body.length) {
    const at = token.lastIndex
    const match = token.exec(body)
    const holder = open.at(-1)
    if (!match || !holder) throw new Error(`not well-formed at ${body.slice(at, at + 40)}`)
    const [, closed, opened, attributes = '', empty, characters = ''] = match
    holder.text += textOf(characters)
    if (closed !== undefined && open.pop()?.name !== closed) throw new Error(`</${closed}> closes another`)
    if (opened === undefined) continue
    const element = { name: opened, attributes: attributesOf(attributes), children: [], text: '' }
    holder.children.push(element)
    if (empty === '') open.push(element)
  }
  const [document, unclosed] = open
  const [root, second] = document?.children ?? []
  if (unclosed || !root || second || document?.text.trim() !== '') throw new Error('not one root element')
  return root
}

function withoutDeclaration(text: string): string {
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === text) throw new Error('the declaration is missing')
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(body))
    throw new Error('no XML character')
  return body
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name = '', value = ''] of text.matchAll(/ ([\w-]+)="([^"]*)"/g)) {
    if (Object.hasOwn(found, name)) throw new Error(`${name} stands twice`)
    found[name] = textOf(value)
  }
  return found
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function textOf(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));|&/g, (found, digits?: string, name?: string) => {
    const character = digits ? String.fromCodePoint(Number(digits)) : entities[name ?? '']
    if (character === undefined) throw new Error(`unknown entity ${found}`)
    return character
  })
}

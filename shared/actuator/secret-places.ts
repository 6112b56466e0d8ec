/** Members of settings that hold requests and templates: what stands there is part of a request, and not where it goes. */
const contents: ReadonlySet<string> = new Set(['operations', 'lookup', 'tools', 'headers', 'body', 'query'])

/**
 * Where a registration sends what it sends, its secrets among it: the origin of every address in its settings (`base_url`,
 * the `url` of a transport, the `token_url` of an authorization), each once and by name. A stored secret is bound to them.
 */
export function placesOf(settings: unknown): string[] {
  return [...new Set(addressesIn(settings).map(originOf))].sort()
}

export function samePlaces(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((place, at) => place === other[at])
}

function addressesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (contents.has(name)) return []
    return typeof inner === 'string' ? (isAddress(name) ? [inner] : []) : addressesIn(inner)
  })
}

function isAddress(name: string): boolean {
  return name === 'url' || name.endsWith('_url')
}

/** Scheme, host and port. What is no URL stands for itself, so that it is never the same as another. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address
}

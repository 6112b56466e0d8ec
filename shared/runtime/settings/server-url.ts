/** Whether the address of a server says for sure where its login ends: what is special in that is percent-encoded. */
export function isServerUrl(text: string): boolean {
  return parsed(text) !== null
}

/** Whether a database is named by the URL of a Postgres, and not by a directory. */
export function isPostgresUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}

/** The address of a server without login and parameters, but for the directory of a socket; of an unclear one the scheme. */
export function shownAddress(text: string): string {
  const url = parsed(text)
  if (!url || url.search.includes('@')) return `${text.slice(0, text.indexOf('://'))}://…`
  const directory = url.searchParams.get('host')
  return `${url.protocol}//${url.host}${url.pathname}${directory === null ? '' : `?host=${directory}`}`
}

/** An @ in the path is the end of a password that has a / or # in it: what looks like the host is its beginning. */
function parsed(text: string): URL | null {
  // A login without a host goes before the directory of a socket.
  const withHost = text.replace(/^([^/]+:\/\/[^/?#]*@)(?=\/)/, '$1localhost')
  if (!URL.canParse(withHost)) return null
  const url = new URL(withHost)
  if (/%(?![0-9a-f]{2})/i.test(url.username + url.password)) return null
  return `${url.pathname}${url.hash}`.includes('@') ? null : url
}

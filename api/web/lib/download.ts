export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has started to read the URL within 60 s, so that it can be revoked.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

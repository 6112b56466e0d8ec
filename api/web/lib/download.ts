export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Releases the URL after 60 s, because a URL released before the browser reads it would save nothing.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

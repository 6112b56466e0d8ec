export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The delay of 60 s lets the browser start to read the URL, since a revoked one would save nothing.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

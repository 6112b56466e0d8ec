/**
 * Opens the closed section that contains the target of the address, because the browser cannot scroll to hidden
 * content.
 */
export function openTarget(): void {
  const open = () => {
    const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)))
    const closed = target?.closest('details')
    if (!target || !closed || closed.open) return
    closed.open = true
    target.scrollIntoView()
  }
  window.addEventListener('hashchange', open)
  open()
}

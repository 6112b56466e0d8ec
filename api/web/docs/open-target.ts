/**
 * Opens the closed section that contains the address's target, because the browser could not scroll to it
 * otherwise.
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

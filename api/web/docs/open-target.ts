/** What an address points at is shown, also where it stands in a part that is closed. */
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

import { element } from './element.ts'

const shownMs = 2_000

export function addCopyButtons(): void {
  if (!('clipboard' in navigator)) return
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy')
    button.addEventListener('click', () => copy(block.querySelector('code')?.textContent ?? '', button))
    block.append(button)
  }
}

function copy(text: string, button: HTMLButtonElement): void {
  const show = (words: string) => {
    button.textContent = words
    window.setTimeout(() => button.replaceChildren('Copy'), shownMs)
  }
  navigator.clipboard.writeText(text).then(
    () => show('Copied'),
    () => show('Not copied'),
  )
}

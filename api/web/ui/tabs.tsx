import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import { type ReactNode, useEffect, useRef } from 'react'

export interface Tab<Name extends string> {
  name: Name
  label: ReactNode
  panel: ReactNode
}

export function Tabs<Name extends string>({
  tabs,
  value,
  onChoose,
}: {
  tabs: readonly Tab<NoInfer<Name>>[]
  value: Name
  onChoose(name: Name): void
}) {
  const list = useChosenTab(value)
  return (
    <BaseTabs.Root value={value} onValueChange={next => onChoose(next as Name)}>
      <BaseTabs.List ref={list} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ name, label }) => (
          <BaseTabs.Tab
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap text-soft hover:text-ink data-active:border-accent data-active:text-ink"
          >
            {label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ name, panel }) => (
        <BaseTabs.Panel key={name} value={name} className="outline-offset-4">
          {panel}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}

/** Scrolls the chosen tab into view. Focuses the tab if the panel that had the focus disappears. */
function useChosenTab(value: string) {
  const list = useRef<HTMLDivElement>(null)
  const last = useRef<string>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (!list.current || !tab || last.current === value) return
    scrollTo(list.current, tab)
    if (last.current !== null && isLeft(document.activeElement)) tab.focus({ preventScroll: true })
    last.current = value
  }, [value])
  return list
}

function isLeft(focused: Element | null): boolean {
  return focused === document.body || Boolean(focused?.closest('[role="tabpanel"]'))
}

/** Scrolls only the row of tabs, because the page itself must not move. */
function scrollTo(list: HTMLElement, tab: HTMLElement): void {
  const left = tab.offsetLeft - list.offsetLeft
  const right = left + tab.offsetWidth
  if (left < list.scrollLeft) list.scrollLeft = left
  if (right > list.scrollLeft + list.clientWidth) list.scrollLeft = right - list.clientWidth
}

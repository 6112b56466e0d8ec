import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab<Name extends string> {
  name: Name
  label: ReactNode
  panel: ReactNode
}

/** Panels of which one is shown. */
export function Tabs<Name extends string>({
  tabs,
  value,
  onChoose,
}: {
  tabs: readonly Tab<NoInfer<Name>>[]
  value: Name
  onChoose(name: Name): void
}) {
  return (
    <BaseTabs.Root value={value} onValueChange={next => onChoose(next as Name)}>
      <BaseTabs.List className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
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

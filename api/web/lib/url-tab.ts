import { useSearchParams } from 'react-router'

/** Returns the tab that `?tab=` in the address names. An unknown or missing name gives the first tab. */
export function useUrlTab<Name extends string>(
  names: readonly [Name, ...Name[]],
): [tab: Name, choose: (tab: Name) => void] {
  const [search, setSearch] = useSearchParams()
  const tab = names.find(name => name === search.get('tab')) ?? names[0]
  return [
    tab,
    chosen =>
      setSearch(previous => {
        const next = new URLSearchParams(previous)
        if (chosen === names[0]) next.delete('tab')
        else next.set('tab', chosen)
        return next
      }),
  ]
}

const keys = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['a', 'approve'],
  ['r', 'reject'],
  ['c', 'comment'],
  ['e', 'edit'],
  ['x', 'select'],
  ['Ctrl+Enter', 'decide'],
] as const

export function ShortcutLegend({ on, onChoose }: { on: boolean; onChoose(on: boolean): void }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-line px-4 py-2.5 text-[0.8125rem] text-soft">
      {on &&
        keys.map(([key, does]) => (
          <span key={key} className="hidden items-center gap-1.5 pointer-fine:inline-flex">
            <kbd className="rounded border border-line-strong bg-sunken px-1.5 font-mono text-xs">{key}</kbd>
            {does}
          </span>
        ))}
      <label className="inline-flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          checked={on}
          onChange={event => onChoose(event.currentTarget.checked)}
          className="size-4 accent-(--accent)"
        />
        Single-letter shortcuts
      </label>
    </div>
  )
}

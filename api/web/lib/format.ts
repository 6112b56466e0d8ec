const units = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const numbers = new Intl.NumberFormat('en')

/** Returns a relative time such as "3 minutes ago", "in 6 days" or "just now". */
export function formatRelative(at: string, now: number): string {
  const ms = Date.parse(at) - now
  if (Math.abs(ms) < 5_000) return 'just now'
  const [unit, size] = unitOf(ms)
  return relative.format(Math.trunc(ms / size), unit)
}

/** Returns a duration in its largest unit, such as "250 ms", "3 minutes" or "6 days". */
export function formatDuration(ms: number): string {
  if (Math.abs(ms) < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  const [unit, size] = unitOf(ms)
  const count = Math.trunc(Math.abs(ms) / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Returns the time left in its two largest units: "6 d 4 h", "2 h 5 min", "4 min 9 s" or "40 s". */
export function formatCountdown(ms: number): string {
  const parts = [
    [Math.floor(ms / 86_400_000), 'd'],
    [Math.floor(ms / 3_600_000) % 24, 'h'],
    [Math.floor(ms / 60_000) % 60, 'min'],
    [Math.floor(ms / 1_000) % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

export function formatExact(at: string): string {
  return exact.format(new Date(at))
}

export function formatNumber(value: number): string {
  return numbers.format(value)
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

function unitOf(ms: number): (typeof units)[number] {
  return units.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000]
}

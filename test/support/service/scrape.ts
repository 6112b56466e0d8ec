/** One series of a scrape. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface Scrape {
  samples: Sample[]
  /** Names by which the metrics can be asked for, also those that have no series yet. */
  names: ReadonlySet<string>
  /** The value of the first series of this name with these labels, or undefined. */
  value(name: string, labels?: Record<string, string>): number | undefined
}

export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`)
  return readScrape(await response.text())
}

/** Read Prometheus' text format, as far as the service writes it. */
export function readScrape(text: string): Scrape {
  const lines = text.split('\n').filter(line => line !== '')
  const samples = lines.filter(line => !line.startsWith('#')).map(readSample)
  return {
    samples,
    names: new Set(lines.flatMap(namesOf)),
    value: (name, labels = {}) =>
      samples.find(
        one =>
          one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )?.value,
  }
}

function readSample(line: string): Sample {
  const found = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)
  if (!found) throw new Error(`this is not a sample: ${line}`)
  const [, name = '', labels = '', value] = found
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, told]) => [key, told])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

function namesOf(line: string): string[] {
  const [, name = '', type] = /^# TYPE (\w+) (\w+)/.exec(line) ?? []
  if (name === '') return []
  return type === 'histogram' ? ['_bucket', '_count', '_sum'].map(end => name + end) : [name]
}

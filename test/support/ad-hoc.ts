import type { Store } from '../../shared/store/open.ts'

/** A statement of the runtime role over every tenant, read-only. */
export function asReader<Row = Record<string, unknown>>(store: Store, text: string): Promise<Row[]> {
  return store.read('all', reader => reader.query<Row>('', text, []))
}

/** A statement of the runtime role over every tenant. */
export function asWriter<Row = Record<string, unknown>>(store: Store, text: string): Promise<Row[]> {
  return store.write('all', writer => writer.query<Row>('', text, []))
}

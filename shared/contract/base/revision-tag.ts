import { ServiceError } from './errors.ts'

/** ETag of a revision. */
export function revisionTag(revision: number): string {
  return `"${revision}"`
}

/** The revision that `If-Match` names; null without the header or with `*`. */
export function expectedRevision(ifMatch: string | null): number | null {
  if (ifMatch === null || ifMatch === '*') return null
  const [, revision] = /^"(\d{1,9})"$/.exec(ifMatch) ?? []
  if (!revision)
    throw new ServiceError('invalid_header', 'If-Match must be the ETag of one revision, such as "3"')
  return Number(revision)
}

import type { Author } from '../../../../shared/contract/configuration/tenant.ts'
import { Facts } from '../../ui/card.tsx'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'
import { AuthorName } from '../trace/author.tsx'

export interface RevisionMeta {
  revision: number
  hash: string
  author: Author
  created_at: string
  change_note: string | null
}

export function RevisionFacts({
  meta: { revision, hash, author, created_at, change_note },
}: {
  meta: RevisionMeta
}) {
  return (
    <Facts
      facts={[
        ['Revision', revision],
        ['Saved by', <AuthorName key="author" author={author} />],
        ['When', <Time key="when" at={created_at} />],
        [
          'Note',
          change_note ? (
            <ClampedText key="note" text={change_note} limit={300} />
          ) : (
            <span key="note" className="text-soft">
              None
            </span>
          ),
        ],
        ['Hash', <Digest key="hash" value={hash} what="Hash" />],
      ]}
    />
  )
}

import { useState } from 'react'
import { counted } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { LoadMore, type Paged } from '../../ui/load-more.tsx'
import { Time } from '../../ui/time.tsx'
import { AuthorName } from '../trace/author.tsx'
import type { RevisionMeta } from './revision-facts.tsx'
import { TextDiff } from './text-diff.tsx'

export interface ComparedRevision extends RevisionMeta {
  /** The document as normalized JSON text. */
  text: string
}

export function RevisionCompare({
  revisions,
  onDraft,
  pages,
}: {
  revisions: readonly ComparedRevision[]
  /** Starts a draft from a revision. Absent if the person may not edit. */
  onDraft?: (revision: ComparedRevision) => void
  pages: Paged
}) {
  const [picked, pick] = useState<{ old: number | null; fresh: number | null }>({ old: null, fresh: null })
  const fresh = revisions.find(({ revision }) => revision === picked.fresh) ?? revisions[0]
  const old =
    revisions.find(({ revision }) => revision === picked.old) ??
    revisions.find(({ revision }) => revision < (fresh?.revision ?? 0)) ??
    fresh
  if (!fresh || !old) return null
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <Card
        title={counted(revisions.length, 'revision') + (pages.hasNextPage ? ' so far' : '')}
        padded={false}
      >
        <ol className="divide-y divide-line">
          {revisions.map(revision => (
            <Revision
              key={revision.revision}
              revision={revision}
              inForce={revision === revisions[0]}
              old={revision === old}
              fresh={revision === fresh}
              onPick={part => pick({ old: old.revision, fresh: fresh.revision, ...part })}
              {...(onDraft ? { onDraft } : {})}
            />
          ))}
        </ol>
        <LoadMore pages={pages} what="revisions" />
      </Card>
      <Card
        title={
          old === fresh ? 'What changed' : `Revision ${old.revision} compared with revision ${fresh.revision}`
        }
      >
        {old === fresh ? (
          <p className="text-soft">
            {revisions.length === 1
              ? 'This is the only revision so far. Once there is another, the two are compared here.'
              : 'Pick two different revisions to see what changed between them.'}
          </p>
        ) : (
          <TextDiff
            before={old.text}
            after={fresh.text}
            labels={[`Revision ${old.revision}`, `Revision ${fresh.revision}`]}
          />
        )}
      </Card>
    </div>
  )
}

function Revision({
  revision: entry,
  inForce,
  old,
  fresh,
  onPick,
  onDraft,
}: {
  revision: ComparedRevision
  inForce: boolean
  old: boolean
  fresh: boolean
  onPick(part: { old: number } | { fresh: number }): void
  onDraft?: (revision: ComparedRevision) => void
}) {
  const { revision, author, created_at, change_note, hash } = entry
  return (
    <li className="flex flex-col gap-1.5 px-5 py-4 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="flex items-center gap-2 text-[0.9375rem] font-semibold">
          Revision {revision} {inForce && <Badge tone="good">In force</Badge>}
        </p>
        <span className="flex gap-4">
          <Pick
            name="before"
            label="Before"
            revision={revision}
            checked={old}
            onPick={() => onPick({ old: revision })}
          />
          <Pick
            name="after"
            label="After"
            revision={revision}
            checked={fresh}
            onPick={() => onPick({ fresh: revision })}
          />
        </span>
      </div>
      <p className="text-soft">
        <AuthorName author={author} />, <Time at={created_at} />
      </p>
      {change_note && (
        <p>
          <ClampedText text={change_note} limit={200} />
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Digest value={hash} what={`Hash of revision ${revision}`} />
        {onDraft && (
          <Button size="small" variant="quiet" onClick={() => onDraft(entry)}>
            Use as draft<span className="sr-only">: revision {revision}</span>
          </Button>
        )}
      </div>
    </li>
  )
}

function Pick({
  name,
  label,
  revision,
  checked,
  onPick,
}: {
  name: string
  label: string
  revision: number
  checked: boolean
  onPick(): void
}) {
  return (
    <label className="inline-flex min-h-6 items-center gap-1.5 text-soft">
      <input
        type="radio"
        name={`compare ${name}`}
        aria-label={`${label}: revision ${revision}`}
        className="size-4 accent-accent"
        checked={checked}
        onChange={onPick}
      />
      {label}
    </label>
  )
}

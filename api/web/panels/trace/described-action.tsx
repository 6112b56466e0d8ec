import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import type { Check } from '../../../../shared/contract/action/verdict.ts'
import type { CatalogOperation } from '../../../../shared/contract/configuration/catalog.ts'
import { describeAction, type Piece, undoWords } from '../../lib/trace/describe.ts'
import { Eye } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { ForeignText } from '../../ui/text.tsx'

/** Describes the effect of the executed parameters. Adds the reviewed catalog entry if there is one. */
export function DescribedAction({
  action,
  checks,
  reviewed,
  opening,
}: {
  action: Proposal['action']
  checks: readonly Check[]
  /** The catalog entry. Null if there is none, undefined if this page does not know. */
  reviewed?: CatalogOperation | null | undefined
  opening?: string
}) {
  return (
    <div className="flex flex-col gap-2">
      <Sentence pieces={describeAction(action, checks, opening)} />
      {reviewed && <Reviewed operation={reviewed} />}
      {reviewed === null && (
        <p className="flex items-start gap-2 text-sm text-soft">
          <Eye className="mt-0.5 size-4 shrink-0" aria-hidden />
          No reviewed catalog entry says what this operation does. Only its name and its values tell.
        </p>
      )}
    </div>
  )
}

export function Sentence({ pieces }: { pieces: readonly Piece[] }) {
  let place = 0
  return (
    <p className="text-[1.0625rem] leading-relaxed">
      {pieces.map(({ text, from }) => {
        place += 1
        return from === 'us' ? (
          <span key={place}>{text}</span>
        ) : (
          <code
            key={place}
            className="inline-block max-w-full rounded bg-sunken px-1 font-mono text-[0.875em] whitespace-pre-wrap"
          >
            <ForeignText text={text} />
          </code>
        )
      })}
    </p>
  )
}

function Reviewed({ operation }: { operation: CatalogOperation }) {
  const { title, effects } = operation
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <p>
        <span className="text-soft">Reviewed as </span>
        <span className="font-medium">
          <ForeignText text={title} />
        </span>
        <span className="text-soft">. {undoWords(operation)}</span>
      </p>
      {effects.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5">
          <span className="text-soft">It does at least</span>
          {effects.map(effect => (
            <Badge key={effect}>
              <ForeignText text={effect} />
            </Badge>
          ))}
        </p>
      )}
    </div>
  )
}

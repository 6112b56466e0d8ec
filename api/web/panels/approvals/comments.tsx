import type { Comment } from '../../../../shared/contract/action/comment-schema.ts'
import { actedWith } from '../../lib/trace/principal.ts'
import { MessageSquareQuote } from '../../pictures/icons.ts'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

export function Comments({ comments }: { comments: readonly Comment[] }) {
  return (
    <section aria-label="Comments" className="rounded-lg border border-line px-4 py-3">
      <h3 className="flex items-center gap-2 text-sm font-semibold">
        <MessageSquareQuote className="size-4 shrink-0" aria-hidden /> Comments
      </h3>
      <ul className="mt-2 flex flex-col gap-2 text-sm">
        {comments.map(({ kind, principal, name, role, text, at }) => (
          <li key={`${at} ${principal.id} ${kind} ${text}`} className="min-w-0">
            <span className="text-soft">
              <ForeignText text={name ?? principal.id} /> ({actedWith(principal, role)})
              {kind === 'change_request' && ' asks the agent for changes'}, <Time at={at} />
            </span>
            <p>
              <ClampedText text={text} limit={400} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

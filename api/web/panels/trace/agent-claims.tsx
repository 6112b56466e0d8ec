import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import { MessageSquareQuote } from '../../pictures/icons.ts'
import { ClampedText } from '../../ui/clamped-text.tsx'

/** Shows the agent's own statements separately, because nobody has verified them. */
export function AgentClaims({ proposal }: { proposal: Proposal }) {
  const { actor, summary, action, risk } = proposal
  const claims = [
    ['Summary', summary],
    ['Rollback plan', action.rollback_plan],
    ['Blast radius', risk.blast_radius],
    ['Agent', actor.agent_id],
    ['Run', actor.run_id],
  ] as const
  return (
    <section aria-label="What the agent says" className="rounded-lg border border-line border-dashed p-4">
      <p className="flex flex-wrap items-center gap-x-2 text-sm font-semibold">
        <MessageSquareQuote className="size-4 shrink-0 text-soft" aria-hidden />
        What the agent says
        <span className="font-normal text-soft">its own words, checked by nobody</span>
      </p>
      <dl className="mt-3 grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[7rem_minmax(0,1fr)]">
        {claims.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="-mt-1.5 min-w-0 sm:mt-0">
              {text ? <ClampedText text={text} /> : <span className="text-soft">Nothing said</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

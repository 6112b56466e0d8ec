import { type ReactNode, useState } from 'react'
import type { DocumentDraft, InForce } from '../../lib/policy/document-draft.ts'
import { TextDiff } from '../../panels/diff/text-diff.tsx'
import { GitBranch } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, Field } from '../../ui/field.tsx'

/**
 * Says that another person saved a revision after this draft was started. Nothing is overwritten: the person
 * compares both and then chooses whether to keep the draft.
 */
export function StaleNote({ draft, inForce, by }: { draft: DocumentDraft; inForce: InForce; by: ReactNode }) {
  const [shown, show] = useState<'theirs' | 'mine'>('theirs')
  const theirs = `Revision ${inForce.revision}`
  const begun = draft.base.revision === 0 ? 'the first one' : `revision ${draft.base.revision}`
  return (
    <section
      role="alert"
      aria-label="Saved by somebody else"
      className="flex flex-col gap-4 rounded-xl border border-warn/40 bg-surface p-5 shadow-card"
    >
      <div className="flex items-start gap-3">
        <GitBranch className="mt-0.5 size-5 shrink-0 text-warn" aria-hidden />
        <div>
          <p className="font-semibold">
            {theirs} was saved while you were editing {begun}
          </p>
          <p className="text-sm text-soft">
            {by}. Your draft is untouched. It can be saved once it goes on from revision {inForce.revision}.
          </p>
        </div>
      </div>
      <Field label="Compare" className="max-w-md">
        <Choice
          value={shown}
          onChoose={part => show(part === 'mine' ? 'mine' : 'theirs')}
          options={[
            { value: 'theirs', label: `What revision ${inForce.revision} changed` },
            { value: 'mine', label: `How your draft differs from revision ${inForce.revision}` },
          ]}
        />
      </Field>
      {shown === 'theirs' ? (
        <TextDiff
          before={draft.base.text}
          after={inForce.text}
          labels={[draft.base.revision === 0 ? 'Nothing' : `Revision ${draft.base.revision}`, theirs]}
        />
      ) : (
        <TextDiff before={inForce.text} after={draft.text} labels={[theirs, 'Your draft']} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={() => draft.begin()}>
          Go on from revision {inForce.revision}
        </Button>
        <Button onClick={() => draft.rebase()}>
          Keep my draft, as a change of revision {inForce.revision}
        </Button>
      </div>
    </section>
  )
}

import type { ReactNode } from 'react'
import type {
  AccessChange,
  AccessGroup,
  PolicyDiff,
} from '../../../../shared/contract/configuration/policy-diff.ts'
import { counted, formatNumber } from '../../lib/format.ts'
import { decisionWords } from '../../lib/policy/policy-words.ts'
import {
  CircleCheck,
  CircleHelp,
  Equal,
  type IconComponent,
  ShieldCheck,
  ShieldPlus,
} from '../../pictures/icons.ts'
import { classes } from '../../ui/classes.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { ShowMore, useShown } from '../../ui/show-more.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'

const changesStep = 10

interface Group {
  title: string
  none: string
  tone: 'wider' | 'narrower'
  of(diff: PolicyDiff): AccessGroup
}

/** Groups of changes. Groups that widen access come first, because they matter most. */
const groups: readonly Group[] = [
  {
    title: 'Newly allowed: denied until now, executed without a person',
    none: 'Nothing that is denied now would be allowed',
    tone: 'wider',
    of: ({ new_access }) => new_access.deny_to_allow,
  },
  {
    title: 'No longer held: a person decides now, executed without one',
    none: 'Nothing that waits for a person now would be allowed without one',
    tone: 'wider',
    of: ({ new_access }) => new_access.needs_approval_to_allow,
  },
  {
    title: 'Newly possible: denied until now, a person may approve it',
    none: 'Nothing that is denied now could be approved',
    tone: 'wider',
    of: ({ new_access }) => new_access.deny_to_needs_approval,
  },
  {
    title: 'Newly held: allowed until now, waits for a person',
    none: 'Nothing that is allowed now would wait for a person',
    tone: 'narrower',
    of: ({ lost_access }) => lost_access.allow_to_needs_approval,
  },
  {
    title: 'Newly denied: allowed until now',
    none: 'Nothing that is allowed now would be denied',
    tone: 'narrower',
    of: ({ lost_access }) => lost_access.allow_to_deny,
  },
  {
    title: 'Newly denied: a person could approve it until now',
    none: 'Nothing that waits for a person now would be denied',
    tone: 'narrower',
    of: ({ lost_access }) => lost_access.needs_approval_to_deny,
  },
]

/**
 * Shows how a draft changes access. Each kind of change has an example, is proved absent, or is unknown. `shown`
 * opens the first example of each kind.
 */
export function AccessDiff({ diff, shown = false }: { diff: PolicyDiff; shown?: boolean }) {
  if (diff.result === 'equivalent')
    return (
      <div className="flex flex-col gap-3">
        <Line icon={Equal} tone="text-good">
          Proved: every proposal is decided as it is now.
        </Line>
        <Fineprint diff={diff} />
      </div>
    )
  const found = groups.map(group => ({ group, access: group.of(diff) }))
  const open = found.filter(({ access }) => access.result === 'inconclusive' && access.total === 0)
  return (
    <div className="flex flex-col gap-4">
      {diff.approvals_required && <ApprovalsChange change={diff.approvals_required} />}
      {found
        .filter(({ access }) => access.total > 0)
        .map(({ group, access }) => (
          <GroupBlock key={group.title} group={group} access={access} open={shown} />
        ))}
      <div className="flex flex-col gap-1">
        {open.map(({ group, access }) => (
          <Line key={group.title} icon={CircleHelp} tone="text-odd">
            Not proved: {lowered(group.none)}
            {access.why && (
              <>
                {' '}
                (<ForeignText text={access.why} />)
              </>
            )}
            .
          </Line>
        ))}
        {open.length > 0 && <p className="pl-7.5 text-odd">Do not take what is not proved for safe.</p>}
        {found
          .filter(({ access }) => access.result === 'none')
          .map(({ group }) => (
            <Line key={group.title} icon={CircleCheck} tone="text-good">
              Proved: {lowered(group.none)}.
            </Line>
          ))}
      </div>
      <Fineprint diff={diff} />
    </div>
  )
}

function ApprovalsChange({ change: { before, after } }: { change: { before: number; after: number } }) {
  const wider = after < before
  return (
    <Line icon={wider ? ShieldPlus : ShieldCheck} tone={wider ? 'text-warn' : 'text-info'}>
      What is held takes {wider ? 'fewer' : 'more'} approvals: {before} until now, {after} then. What waits
      already keeps its {before}.
    </Line>
  )
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function GroupBlock({ group, access, open }: { group: Group; access: AccessGroup; open: boolean }) {
  const { shown, rest, more } = useShown(access.changes, changesStep)
  const wider = group.tone === 'wider'
  return (
    <section aria-label={group.title} className="rounded-lg border border-line">
      <header className="flex items-start gap-3 border-b border-line px-4 py-3">
        {wider ? (
          <ShieldPlus className="mt-0.5 size-5 shrink-0 text-warn" aria-hidden />
        ) : (
          <ShieldCheck className="mt-0.5 size-5 shrink-0 text-info" aria-hidden />
        )}
        <div className="min-w-0">
          <h3 className="font-semibold">{group.title}</h3>
          {access.total > 0 && (
            <p className="text-sm text-soft">
              {counted(access.total, 'operation')}
              {access.total > access.changes.length &&
                `; ${formatNumber(access.changes.length)} of them are listed`}
            </p>
          )}
        </div>
      </header>
      {shown.length > 0 && (
        <ul className="divide-y divide-line">
          {shown.map((change, index) => (
            <Change
              key={`${change.system} ${change.operation} ${change.unnamed}`}
              change={change}
              open={open && index === 0}
            />
          ))}
        </ul>
      )}
      {rest > 0 && (
        <div className="px-4">
          <ShowMore rest={rest} what="operations" more={more} />
        </div>
      )}
      {(access.result === 'inconclusive' || access.why) && (
        <div className="border-t border-line px-4 py-3 first:border-t-0">
          <Line icon={CircleHelp} tone="text-odd">
            {access.result === 'inconclusive' ? 'Not known' : 'Not known of other operations'}
            {access.why && (
              <>
                : <ForeignText text={access.why} />
              </>
            )}
            . Do not take it for safe.
          </Line>
        </div>
      )}
    </section>
  )
}

function Change({ change, open }: { change: AccessChange; open: boolean }) {
  const { system, operation, unnamed, before, after, everything, decided_before, decided_after, witness } =
    change
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3 text-sm">
      <p className="font-mono font-medium">
        <ForeignText text={`${system} · ${operation}`} />
        {unnamed && (
          <span className="font-sans font-normal text-soft"> stands for all that neither side names</span>
        )}
      </p>
      <p>
        <span className="text-soft">{decisionWords(before)}</span> → {decisionWords(after)}
      </p>
      {everything && (
        <p>
          {after === 'deny'
            ? 'Proved: every proposal for it would be denied.'
            : 'Proved: every proposal for it is denied until now.'}
        </p>
      )}
      <Disclosure label="Why, and a proposal that shows it" open={open}>
        <div className="flex flex-col gap-2">
          <Clauses says="Decided until now by" clauses={decided_before} />
          <Clauses says="Decided then by" clauses={decided_after} />
          <ForeignJson value={witness} label={`Example proposal for ${system} ${operation}`} />
        </div>
      </Disclosure>
    </li>
  )
}

function Clauses({ says, clauses }: { says: string; clauses: readonly string[] }) {
  if (clauses.length === 0) return null
  return (
    <p className="text-soft">
      {says}{' '}
      <code className="font-mono text-xs">
        <ForeignText text={clauses.join(', ')} />
      </code>
    </p>
  )
}

function Line({ icon: Icon, tone, children }: { icon: IconComponent; tone: string; children: ReactNode }) {
  return (
    <p className="flex items-start gap-2.5">
      <Icon className={classes('mt-0.5 size-5 shrink-0', tone)} aria-hidden />
      <span className="min-w-0">{children}</span>
    </p>
  )
}

function Fineprint({ diff: { assumptions } }: { diff: PolicyDiff }) {
  if (assumptions.length === 0) return null
  return (
    <Disclosure label="What the proof takes for granted">
      <ul className="mt-1 list-disc pl-5">
        {assumptions.map(assumption => (
          <li key={assumption}>
            <ForeignText text={assumption} />
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}

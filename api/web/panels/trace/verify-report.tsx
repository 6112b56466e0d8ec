import type { Check, CheckName, Outcome, Verification } from '../../audit-verifier.ts'
import type { Trust, Verified } from '../../lib/trace/verifier.ts'
import { CircleCheck, CircleDashed, CircleX, type IconComponent } from '../../pictures/icons.ts'
import { classes } from '../../ui/classes.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { ForeignText } from '../../ui/text.tsx'

const names: Readonly<Record<CheckName, string>> = {
  format: 'The file is well formed',
  keys: 'The signing keys are sound',
  events: 'The events are whole, in order, and chained',
  statement: 'A signed statement fixes this number of events and this root',
  log: 'Every event is in the log that a signed checkpoint fixes',
  history: 'The log continues the older checkpoint',
  payloads: 'The contents are those the events commit to',
  authorisation: 'Nothing was executed without leave',
  approver: 'The approver was allowed to approve, and is not the proposer',
  idempotency: 'It was executed under one key, so at most once',
  ending: 'The action has come to its end',
  digest: 'The file is undamaged',
}

const outcomes: Readonly<
  Record<Outcome, { title: string; text: string; tone: string; icon: IconComponent }>
> = {
  verified: {
    title: 'Verified',
    text: 'Everything that can be checked was, and holds.',
    tone: 'bg-good-wash text-good',
    icon: CircleCheck,
  },
  verified_open: {
    title: 'Verified so far',
    text: 'Everything holds. The action is not at its end, so more events will follow.',
    tone: 'bg-good-wash text-good',
    icon: CircleCheck,
  },
  incomplete: {
    title: 'Nothing is wrong, but not all is proved',
    text: 'Every check that could be made holds. The checks marked as open say what is missing.',
    tone: 'bg-warn-wash text-warn',
    icon: CircleDashed,
  },
  legacy: {
    title: 'An old record',
    text: 'It is from before events were signed and chained. Nothing that it says can be proved.',
    tone: 'bg-warn-wash text-warn',
    icon: CircleDashed,
  },
  invalid: {
    title: 'It does not verify',
    text: 'Do not rely on this record. Keep the export, and ask whoever runs the service.',
    tone: 'bg-bad-wash text-bad',
    icon: CircleX,
  },
}

export function VerifyReport({
  verified,
  trust,
  shownRoot,
}: {
  verified: Verified
  trust: Trust
  shownRoot: string
}) {
  if (!verified.ok)
    return (
      <p role="alert" className="rounded-lg bg-bad-wash px-4 py-3 text-bad">
        This key cannot be used: <ForeignText text={verified.problem} />.
      </p>
    )
  const { verification, exported } = verified
  return (
    <div className="flex flex-col gap-4">
      <Verdict verification={verification} />
      {verification.outcome === 'incomplete' && <WhyIncomplete exported={exported} />}
      <SameRoot root={exported.audit_root} shown={shownRoot} />
      <ul className="divide-y divide-line rounded-lg border border-line">
        {verification.checks.map(check => (
          <CheckRow key={check.name} check={check} />
        ))}
      </ul>
      {verification.notes.length > 0 && (
        <ul className="list-disc pl-5 text-sm text-soft">
          {verification.notes.map(note => (
            <li key={note}>
              <ForeignText text={note} />
            </li>
          ))}
        </ul>
      )}
      <TrustNote trust={trust} />
    </div>
  )
}

function Verdict({ verification: { outcome, problem } }: { verification: Verification }) {
  const { title, text, tone, icon: Icon } = outcomes[outcome]
  return (
    <div className={classes('flex items-start gap-3 rounded-lg px-4 py-3', tone)}>
      <Icon className="mt-0.5 size-5 shrink-0" aria-hidden />
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        <p className="text-sm">{problem === null ? text : <ForeignText text={`${problem}. ${text}`} />}</p>
      </div>
    </div>
  )
}

function WhyIncomplete({ exported }: { exported: Extract<Verified, { ok: true }>['exported'] }) {
  if (exported.integrity_version === 'canonical-unsigned-v1')
    return (
      <p className="text-sm">
        This service had no signing key when it recorded the action. The hashes show that the events belong
        together; without a signature nobody can tell whether all of them were replaced.
      </p>
    )
  if ('pending' in exported.log)
    return (
      <p className="text-sm">
        The last events are still on their way into the signed log. That takes a few seconds: verify again
        then.
      </p>
    )
  return null
}

function SameRoot({ root, shown }: { root: string; shown: string }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm">
      <span className="text-soft">Root</span> <Digest value={root} what="Root of the export" short={30} />
      <span>
        {root === shown
          ? 'is the one shown above.'
          : 'is not the one shown above: the action has gone on meanwhile. Read the page again.'}
      </span>
    </p>
  )
}

const statuses = {
  proven: { icon: CircleCheck, tone: 'text-good', label: 'Holds' },
  not_proven: { icon: CircleDashed, tone: 'text-warn', label: 'Open' },
  failed: { icon: CircleX, tone: 'text-bad', label: 'Fails' },
} as const

function CheckRow({ check: { name, status, reason } }: { check: Check }) {
  const { icon: Icon, tone, label } = statuses[status]
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <Icon className={classes('mt-0.5 size-4.5 shrink-0', tone)} aria-hidden />
      <span className="min-w-0 flex-1">
        <span className="font-medium">{names[name]}</span>
        <span className="block text-sm text-soft">
          <ForeignText text={reason} />
        </span>
      </span>
      <span className={classes('text-sm font-medium', tone)}>{label}</span>
    </li>
  )
}

function TrustNote({ trust }: { trust: Trust }) {
  if (trust.from === 'person')
    return <p className="text-sm text-soft">Checked against the key that you gave, and no other.</p>
  const { keys } = trust.keys
  if (keys.length === 0) return null
  return (
    <div className="flex flex-col gap-2 text-sm text-soft">
      <p>
        <span className="font-medium text-ink">How far this goes: </span>
        page, record and keys all come from this service. Whoever controls all of it could change them
        together. Compare the key below with one that you got elsewhere, or download the export and check it
        with <code className="font-mono text-[0.8125rem]">service-audit-verify</code> on a machine of yours.
      </p>
      <CodeBlock text={keys.map(({ vkey }) => vkey).join('\n')} what="Keys of the service" lines={6} />
    </div>
  )
}

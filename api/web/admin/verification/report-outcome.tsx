import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import type { BoundReport } from '../../../../shared/contract/configuration/verification-schema.ts'
import { ForeignJson } from '../../panels/json/foreign-json.tsx'
import { CircleCheck, CircleHelp, CircleX } from '../../pictures/icons.ts'
import { classes } from '../../ui/classes.ts'
import { ForeignText } from '../../ui/text.tsx'

type OutcomeAnswer = BoundReport['outcomes'][number]

export function ReportOutcome({ outcome }: { outcome: OutcomeAnswer }) {
  const { name, expected, result, why, witness, decision, admitted_by = [] } = outcome
  const holds = result === expected
  const Icon = holds ? CircleCheck : result === 'inconclusive' ? CircleHelp : CircleX
  const ink = holds ? 'text-good' : result === 'inconclusive' ? 'text-warn' : 'text-bad'
  return (
    <li className="rounded-lg border border-line p-4">
      <p className="flex items-start gap-2">
        <Icon className={classes('mt-0.5 size-5 shrink-0', ink)} aria-hidden />
        <span className="min-w-0">
          <ForeignText text={name} className="font-medium" />
          <span className="block text-sm text-soft">{sentence(outcome)}</span>
        </span>
      </p>
      {why && <p className="mt-2 text-sm break-words">{why}</p>}
      {admitted_by.length > 0 && (
        <p className="mt-2 text-sm break-words">
          <span className="text-soft">Decided by: </span>
          {admitted_by.join('; ')}
        </p>
      )}
      {witness && (
        <details className="mt-3">
          <summary className="cursor-pointer rounded text-sm font-medium">
            A proposal that shows it{decision ? `: the gate says ${decision}` : ''}
          </summary>
          <div className="mt-2">
            <ForeignJson value={witness as unknown as JsonValue} label={`Witness of ${name}`} />
          </div>
        </details>
      )}
    </li>
  )
}

function sentence({ expected, result }: OutcomeAnswer): string {
  const must = expected === 'unreachable' ? 'It must not be reachable' : 'It has to be reachable'
  if (result === 'inconclusive') return `${must}; that could not be settled.`
  if (result === expected) return `${must}; proved.`
  return expected === 'unreachable' ? `${must}, but it is.` : `${must}, but nothing reaches it.`
}

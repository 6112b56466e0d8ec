import { useMemo, useState } from 'react'
import type { Catalog, CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { formatNumber } from '../lib/format.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Facts } from '../ui/card.tsx'
import { Digest } from '../ui/copy-button.tsx'
import { Disclosure } from '../ui/disclosure.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { ShowMore, useShown } from '../ui/show-more.tsx'
import { RiskBadge } from '../ui/status.tsx'
import { ForeignText } from '../ui/text.tsx'
import { ForeignJson } from './json/foreign-json.tsx'

const operationsStep = 40
const filterFrom = 12

export function CatalogView({ catalog: { operations } }: { catalog: Catalog }) {
  const [word, setWord] = useState('')
  const found = useMemo(() => matching(operations, word), [operations, word])
  return (
    <div className="flex flex-col gap-4">
      {operations.length >= filterFrom && (
        <Field label={`Find one of ${formatNumber(operations.length)} operations`} className="max-w-md">
          <TextInput type="search" value={word} onChange={event => setWord(event.currentTarget.value)} />
        </Field>
      )}
      {operations.length === 0 && (
        <p className="text-soft">The catalog is empty: with a catalog in force, every operation is denied.</p>
      )}
      {operations.length > 0 && found.length === 0 && (
        <p className="text-soft" role="status">
          No operation matches.
        </p>
      )}
      <Operations key={word} operations={found} />
    </div>
  )
}

function Operations({ operations }: { operations: readonly CatalogOperation[] }) {
  const { shown, rest, more } = useShown(operations, operationsStep)
  return (
    <>
      <ul className="flex flex-col gap-4">
        {shown.map(operation => (
          <Operation key={`${operation.system} ${operation.operation}`} operation={operation} />
        ))}
      </ul>
      <ShowMore rest={rest} what="operations" more={more} />
    </>
  )
}

const undoing: Readonly<Record<CatalogOperation['reversibility'], { label: string; tone: Tone }>> = {
  reversible: { label: 'Can be undone', tone: 'good' },
  compensatable: { label: 'Another operation makes up for it', tone: 'warn' },
  irreversible: { label: 'Cannot be undone', tone: 'bad' },
}

function Operation({ operation }: { operation: CatalogOperation }) {
  const { label, tone } = undoing[operation.reversibility]
  return (
    <li className="min-w-0 rounded-lg border border-line">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-b border-line bg-sunken px-4 py-2.5">
        <div className="min-w-0">
          <p className="font-semibold">
            <ForeignText text={operation.title} />
          </p>
          <p className="font-mono text-sm text-soft">
            <ForeignText text={`${operation.system} · ${operation.operation}`} />
          </p>
        </div>
        <p className="flex flex-wrap gap-1.5">
          <RiskBadge level={operation.minimum_risk} label={`at least ${operation.minimum_risk} risk`} />
          <Badge tone={tone}>{label}</Badge>
        </p>
      </div>
      <div className="flex flex-col gap-4 p-4 text-sm">
        <Facts facts={factsOf(operation)} />
        <Disclosure label="What its parameters may be">
          <div className="mt-2">
            <ForeignJson
              value={operation.parameter_schema}
              label={`Parameter schema of ${operation.system} ${operation.operation}`}
            />
          </div>
        </Disclosure>
      </div>
    </li>
  )
}

function factsOf({ effects, idempotency, actuator, tool_schema_hash }: CatalogOperation) {
  const bound = [
    ['Does at least', <Effects key="effects" effects={effects} />],
    [
      'Asked twice',
      idempotency === 'key_honoured'
        ? 'The system takes a repeated request for the same one'
        : 'The system may do it twice: an outcome that is unknown is never tried again by itself',
    ],
    ['Carried out by', <ForeignText key="actuator" text={`${actuator.name} (${actuator.kind})`} />],
  ] as const
  if (tool_schema_hash === null) return bound
  return [
    ...bound,
    ['Tool schema', <Digest key="hash" value={tool_schema_hash} what="Tool schema hash" />],
  ] as const
}

function Effects({ effects }: { effects: readonly string[] }) {
  if (effects.length === 0) return <span className="text-soft">No effect is named</span>
  return (
    <span className="flex flex-wrap gap-1.5">
      {effects.map(effect => (
        <Badge key={effect}>
          <ForeignText text={effect} />
        </Badge>
      ))}
    </span>
  )
}

function matching(operations: readonly CatalogOperation[], word: string): readonly CatalogOperation[] {
  const sought = word.trim().toLowerCase()
  if (sought === '') return operations
  return operations.filter(({ system, operation, title, effects }) =>
    [system, operation, title, ...effects].some(text => text.toLowerCase().includes(sought)),
  )
}

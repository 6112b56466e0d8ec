import type { ReactNode, Ref } from 'react'
import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import { counted } from '../../lib/format.ts'
import type { BatchField } from '../../lib/trace/batch-outliers.ts'
import {
  type BatchCell,
  type BatchRow,
  type BatchSum,
  type BatchTable,
  cellLengthMax,
} from '../../lib/trace/batch-table.ts'
import { useWide } from '../../lib/wide.ts'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { classes } from '../../ui/classes.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'

export interface BatchViewProps {
  table: BatchTable
  label: string
  /**
   * The scrolling region, its last paragraph and its last column. The dialog observes when they come into view.
   */
  ends: { scroller: Ref<HTMLElement>; last: Ref<HTMLParagraphElement>; right: Ref<HTMLElement> }
}

/** The tab index of a scrolling region. Keyboard users must reach the region although it contains no control. */
const reachable = 0

export function BatchView({ table, label, ends }: BatchViewProps) {
  const wide = useWide()
  const { rows, columns } = table
  return (
    <>
      <Sums table={table} />
      <Same fields={table.same} count={rows.length} />
      <section
        ref={ends.scroller}
        aria-label={label}
        tabIndex={reachable}
        className="max-h-[min(30rem,38dvh)] overflow-auto rounded-lg border border-line"
      >
        {wide ? <WideTable table={table} right={ends.right} /> : <Blocks table={table} right={ends.right} />}
        <p ref={ends.last} tabIndex={-1} className="sticky left-0 w-fit px-3 py-2 text-sm text-soft">
          {columns.length === 0 ? 'They differ in nothing but their digests. ' : ''}
          That is the last of {counted(rows.length, 'action')}.
        </p>
      </section>
    </>
  )
}

function Sums({ table: { sums, unsummed } }: { table: BatchTable }) {
  if (sums.length + unsummed === 0) return null
  return (
    <section aria-label="Sums">
      <h3 className="text-sm font-semibold">In all</h3>
      <ul className="max-h-40 overflow-y-auto">
        {sums.map(sum => (
          <li key={JSON.stringify([sum.call, sum.title, sum.currency])}>
            <Sum {...sum} />
          </li>
        ))}
        {unsummed > 0 && (
          <li className="text-warn">
            {unsummed === 1 ? '1 amount is no number and is' : `${unsummed} amounts are no numbers and are`}{' '}
            in no sum.
          </li>
        )}
      </ul>
    </section>
  )
}

function Sum({ call, title, currency, sum, count }: BatchSum) {
  return (
    <>
      <Name text={title} /> <strong className="font-semibold tabular-nums">{sum}</strong>{' '}
      {currency === null ? 'without a currency' : <ForeignText text={currency} />}
      <span className="text-soft">
        {' '}
        in {counted(count, 'action')}
        {call && (
          <>
            : <ForeignText text={call.operation} /> on <ForeignText text={call.target_system} />
          </>
        )}
      </span>
    </>
  )
}

/** Lists the values that all actions share only once, because they do not distinguish the actions. */
function Same({ fields, count }: { fields: readonly BatchField[]; count: number }) {
  const texts = fields.map(({ title, from, texts }) => ({ title, from, text: texts.get(0) ?? '' }))
  const values = texts.filter(({ from }) => from === 'proposal')
  const few = values.length <= listedMax
  return (
    <section aria-label="The same in all">
      <h3 className="text-sm font-semibold">The same in all {count}</h3>
      <Pairs pairs={few ? texts : texts.filter(({ from }) => from === 'us')} />
      {!few && <ForeignJson value={jsonOf(values)} label="Values that are the same in all" />}
    </section>
  )
}

/**
 * The largest number of values shown as a list. More values are shown as JSON, which stays usable with thousands.
 */
const listedMax = 30

interface Pair {
  title: string
  from?: BatchField['from']
  text: string
}

function Pairs({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      {pairs.map(({ title, from = 'proposal', text }) => (
        <div key={`${from} ${title}`} className="flex max-w-full gap-1.5">
          <dt className="shrink-0 text-soft">{from === 'us' ? title : <Name text={title} />}</dt>
          <dd className={from === 'us' ? 'min-w-0' : 'min-w-0 font-mono text-[0.8125rem]'}>
            <ClampedText text={text} limit={cellLengthMax} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function jsonOf(pairs: readonly Pair[]): Record<string, JsonValue> {
  return Object.fromEntries(pairs.map(({ title, text }) => [title, JSON.parse(text) as JsonValue]))
}

function Name({ text }: { text: string }) {
  return (
    <code className="font-mono text-[0.8125rem]">
      <ForeignText text={text} />
    </code>
  )
}

function WideTable({ table, right }: { table: BatchTable; right: Ref<HTMLElement> }) {
  const { columns, others, rows } = table
  return (
    <table className="w-full border-separate border-spacing-0 text-left text-sm">
      <Head table={table} right={right} />
      <tbody>
        {rows.map((row, place) => (
          <tr key={row.action.action_id} className="align-top">
            <th
              scope="row"
              className="sticky left-0 z-10 max-w-56 min-w-28 border-t border-line bg-raised px-3 py-2 font-normal"
            >
              <RowHead row={row} place={place} />
            </th>
            {columns.map((column, at) => (
              <Data key={column.key}>
                <Cell cell={row.cells[at] ?? null} from={column.from} />
              </Data>
            ))}
            {others > 0 && (
              <Data className="min-w-96">
                <Others row={row} />
              </Data>
            )}
            <Data>
              <Digests row={row} />
            </Data>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Head({ table: { columns, others }, right }: { table: BatchTable; right: Ref<HTMLElement> }) {
  const head = 'sticky top-0 bg-sunken px-3 py-2 font-medium text-soft'
  return (
    <thead>
      <tr>
        <th scope="col" className={`${head} left-0 z-20`}>
          Action
        </th>
        {columns.map(({ key, title, from }) => (
          <th key={key} scope="col" className={`${head} z-10`}>
            {from === 'us' ? title : <Name text={title} />}
          </th>
        ))}
        {others > 0 && (
          <th scope="col" className={`${head} z-10`}>
            {counted(others, 'further difference')}
          </th>
        )}
        <th scope="col" className={`${head} z-10`}>
          <span ref={right}>Digests</span>
        </th>
      </tr>
    </thead>
  )
}

function Data({ className = 'max-w-80 min-w-24', children }: { className?: string; children: ReactNode }) {
  return <td className={classes('border-t border-line px-3 py-2', className)}>{children}</td>
}

/** Shows the actions below each other on narrow screens, so that no column is cut off. */
function Blocks({ table: { columns, others, rows }, right }: { table: BatchTable; right: Ref<HTMLElement> }) {
  return (
    <>
      <ol>
        {rows.map((row, place) => (
          <li key={row.action.action_id} className="flex flex-col gap-1 border-b border-line p-3 text-sm">
            <RowHead row={row} place={place} />
            <dl className="grid grid-cols-[minmax(5rem,auto)_minmax(0,1fr)] gap-x-3 gap-y-0.5">
              {columns.map(({ key, title, from }, at) => (
                <div key={key} className="contents">
                  <dt className="text-soft">{from === 'us' ? title : <Name text={title} />}</dt>
                  <dd>
                    <Cell cell={row.cells[at] ?? null} from={from} />
                  </dd>
                </div>
              ))}
            </dl>
            {others > 0 && <Others row={row} />}
            <Digests row={row} />
          </li>
        ))}
      </ol>
      <span ref={right} className="block h-px" />
    </>
  )
}

const reasonsMax = 4

function RowHead({ row: { reasons }, place }: { row: BatchRow; place: number }) {
  const more = reasons.length - reasonsMax
  return (
    <>
      <span className="font-semibold tabular-nums">{place + 1}</span>
      {reasons.length > 0 && (
        <ul aria-label="Stands out" className="mt-1 flex flex-col gap-0.5 text-warn">
          {reasons.slice(0, reasonsMax).map(reason => (
            <li key={JSON.stringify(reason)}>
              {reason.map(({ text, from }) =>
                from === 'us' ? text : <ForeignText key={text} text={text} />,
              )}
            </li>
          ))}
          {more > 0 && <li>and {counted(more, 'more reason')}</li>}
        </ul>
      )}
    </>
  )
}

function Cell({ cell, from }: { cell: BatchCell | null; from: BatchField['from'] }) {
  if (cell === null) return <span className="text-soft">not given</span>
  const { text, variant } = cell
  return (
    <div className={from === 'us' ? '' : 'font-mono text-[0.8125rem]'}>
      <ClampedText text={text} limit={cellLengthMax} />
      {variant && (
        <p className="font-sans text-warn">
          From character {variant.at}: <Name text={variant.text} /> ({variant.number} of {variant.of} that
          begin alike)
        </p>
      )}
    </div>
  )
}

function Others({ row: { action, others } }: { row: BatchRow }) {
  if (others.length === 0) return <span className="text-soft">none of them</span>
  return others.length <= listedMax ? (
    <Pairs pairs={others} />
  ) : (
    <ForeignJson value={jsonOf(others)} label={`Further differences of ${action.action_id}`} />
  )
}

function Digests({ row: { action } }: { row: BatchRow }) {
  const { proposal_hash, request_hash } = action
  return (
    <Disclosure label="Digests">
      <Digest what="Proposal" digest={proposal_hash} />
      {request_hash && <Digest what="Request" digest={request_hash} />}
    </Disclosure>
  )
}

function Digest({ what, digest }: { what: string; digest: string }) {
  return (
    <p className="flex items-start gap-1 text-[0.8125rem] text-soft">
      <span className="min-w-0 pt-1.5">
        {what} <code className="font-mono break-all">{digest}</code>
      </span>
      <CopyButton text={digest} what={`${what} digest`} bare />
    </p>
  )
}

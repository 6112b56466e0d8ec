import { ScrollArea } from '@base-ui/react/scroll-area'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { canonicalJson } from '../../../../shared/canon/canonical-json.ts'
import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import { formatNumber } from '../../lib/format.ts'
import { prettyLines } from '../../lib/trace/pretty-json.ts'
import { Button } from '../../ui/button.tsx'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'

const virtualFrom = 300
const shortLines = 14
const lineHeight = 21

/**
 * Shows JSON from outside unchanged, and marks invisible characters. The copy button copies the canonical text,
 * because hashes cover its bytes.
 */
export function ForeignJson({ value, label }: { value: JsonValue | object; label: string }) {
  const json = value as JsonValue
  const lines = useMemo(() => prettyLines(json), [json])
  const [open, setOpen] = useState(false)
  const long = lines.length > shortLines + 4
  const height = open ? 'min(75dvh, 60rem)' : `${shortLines * lineHeight + 24}px`
  const box = { label, lines, height: long ? height : 'min(75dvh, 60rem)' }
  return (
    <div className="relative rounded-lg border border-line bg-sunken font-mono text-[0.8125rem] leading-[21px]">
      <div className="absolute top-1 right-3 z-10">
        <CopyButton text={canonicalJson(json)} what={label} bare />
      </div>
      {lines.length > virtualFrom ? <ManyLines {...box} /> : <FewLines {...box} />}
      {long && (
        <div className="border-t border-line px-2 py-1 font-sans">
          <Button variant="quiet" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Show less' : `Show more of ${formatNumber(lines.length)} lines`}
          </Button>
        </div>
      )}
    </div>
  )
}

interface Box {
  label: string
  lines: readonly string[]
  height: string
}

function FewLines({ label, lines, height }: Box) {
  return (
    <Scroller label={label} height={height}>
      {lines
        .map((text, place) => ({ text, key: `line ${place}` }))
        .map(({ text, key }) => (
          <Line key={key} text={text} />
        ))}
    </Scroller>
  )
}

/** Draws only the lines in view, so that a document with thousands of values stays usable. */
function ManyLines({ label, lines, height }: Box) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  })
  return (
    <Scroller label={label} height={height} scroller={scroller}>
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={virtual.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Line text={lines[index] ?? ''} />
          </div>
        ))}
      </div>
    </Scroller>
  )
}

function Scroller({
  label,
  height,
  scroller,
  children,
}: {
  label: string
  height: string
  scroller?: RefObject<HTMLDivElement | null>
  children: ReactNode
}) {
  return (
    <ScrollArea.Root>
      <ScrollArea.Viewport
        ref={scroller}
        role="region"
        aria-label={label}
        style={{ maxHeight: height }}
        className="rounded-lg py-3 pr-12 pl-4"
      >
        {children}
      </ScrollArea.Viewport>
    </ScrollArea.Root>
  )
}

/** Indents the continuation of a wrapped line more than its first part. */
const Line = memo(function Line({ text }: { text: string }) {
  const depth = text.length - text.trimStart().length
  return (
    <div className="min-h-[21px] -indent-4" style={{ paddingLeft: `calc(${depth}ch + 1rem)` }}>
      <ClampedText text={text.trimStart()} limit={400} />
    </div>
  )
})

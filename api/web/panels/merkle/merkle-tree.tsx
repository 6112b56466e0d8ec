import { useEffect, useState } from 'react'
import type { Trace } from '../../../../shared/contract/action/action.ts'
import { counted } from '../../lib/format.ts'
import { describeEvent } from '../../lib/trace/describe-event.ts'
import { merkleHashes } from '../../lib/trace/merkle-shape.ts'
import { CircleCheck, CircleX } from '../../pictures/icons.ts'
import { Digest } from '../../ui/copy-button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { MerkleDrawing } from './merkle-drawing.tsx'

export function MerkleTree({ trace: { events, audit_root } }: { trace: Trace }) {
  const [active, setActive] = useState<number | null>(null)
  const leaves = events.map(({ leaf_hash }) => leaf_hash.replace(/^sha256:/, ''))
  const hashes = useHashes(leaves)
  const titles = events.map(event => describeEvent(event).title)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-sm text-soft">Root over {counted(events.length, 'event')}</span>
        <Digest value={audit_root} what="Root" short={30} />
        <RootCheck hashes={hashes} size={leaves.length} root={audit_root} />
      </div>
      <MerkleDrawing titles={titles} hashes={hashes} active={active} onActive={setActive} />
      <Disclosure label="The tree as a list">
        <ol className="flex flex-col gap-1 text-sm" start={0}>
          {events.map(({ sequence, leaf_hash }) => (
            <li key={sequence} className="flex flex-wrap items-center gap-x-2">
              <span>
                {sequence}. {titles[sequence]}
              </span>
              <Digest value={leaf_hash} what={`Leaf of event ${sequence}`} short={20} />
            </li>
          ))}
          <li className="flex flex-wrap items-center gap-x-2 font-medium">
            Root <Digest value={audit_root} what="Root" short={20} />
          </li>
        </ol>
      </Disclosure>
    </div>
  )
}

function useHashes(leaves: readonly string[]): ReadonlyMap<string, string> | null {
  const [hashes, setHashes] = useState<ReadonlyMap<string, string> | null>(null)
  const all = leaves.join(' ')
  useEffect(() => {
    let current = true
    void merkleHashes(all.split(' ')).then(found => current && setHashes(found))
    return () => {
      current = false
    }
  }, [all])
  return hashes
}

function RootCheck({
  hashes,
  size,
  root,
}: {
  hashes: ReadonlyMap<string, string> | null
  size: number
  root: string
}) {
  const found = hashes?.get(`0-${size}`)
  if (found === undefined) return null
  return found === root.replace(/^sha256:/, '') ? (
    <span className="inline-flex items-center gap-1 text-sm text-good">
      <CircleCheck className="size-4" aria-hidden /> recomputed here from the leaves: the same
    </span>
  ) : (
    <span role="alert" className="inline-flex items-center gap-1 text-sm font-medium text-bad">
      <CircleX className="size-4" aria-hidden /> recomputed here from the leaves: another one
    </span>
  )
}

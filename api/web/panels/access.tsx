import type { OperationAccess } from '../../../shared/contract/access/access-schema.ts'
import { accessLabels, accessWords } from '../../../shared/contract/access/access-words.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { ForeignText } from '../ui/text.tsx'

const tones: Readonly<Record<OperationAccess['answer'], Tone>> = {
  allowed: 'good',
  held: 'warn',
  denied: 'bad',
  open: 'info',
}

export function AccessBadge({ access: { answer } }: { access: OperationAccess }) {
  return <Badge tone={tones[answer]}>{accessLabels[answer]}</Badge>
}

export function AccessNote({ access }: { access: OperationAccess }) {
  return (
    <>
      <AccessBadge access={access} />
      <span className="mt-1 block max-w-[48ch] text-sm break-words text-soft">
        <ForeignText text={accessWords(access)} />
      </span>
    </>
  )
}

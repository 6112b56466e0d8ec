import { codeOf, type Mark, stretchesOf } from '../lib/suspicious.ts'
import { classes } from './classes.ts'

const tones: Record<Mark['kind'], string> = {
  direction: 'bg-bad-wash text-bad',
  invisible: 'bg-bad-wash text-bad',
  control: 'bg-bad-wash text-bad',
  stacked: 'bg-bad-wash text-bad',
  mixed: 'bg-warn-wash text-warn underline decoration-wavy decoration-1 underline-offset-4',
}

/**
 * Shows text from outside safely: never as markup, in its own direction, and with marks on misleading or invisible
 * characters.
 */
export function ForeignText({ text, className }: { text: string; className?: string }) {
  return (
    <bdi className={classes('[overflow-wrap:anywhere]', className)}>
      {stretchesOf(text).map(({ at, text: part, mark }) =>
        mark ? (
          <mark key={at} className={classes('relative rounded px-0.5', tones[mark.kind])} title={mark.name}>
            {mark.kind === 'mixed' ? part : codeOf(part)}
            <span className="sr-only"> ({mark.name})</span>
          </mark>
        ) : (
          part
        ),
      )}
    </bdi>
  )
}

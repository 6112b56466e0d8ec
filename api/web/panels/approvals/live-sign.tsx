import type { Liveness } from '../../lib/live.ts'
import { classes } from '../../ui/classes.ts'

const words: Record<Liveness, { text: string; dot: string }> = {
  connecting: { text: 'Connecting…', dot: 'bg-line-strong' },
  live: { text: 'Live', dot: 'bg-good' },
  polling: { text: 'Updating every 5 seconds', dot: 'bg-warn' },
}

export function LiveSign({ liveness }: { liveness: Liveness }) {
  const { text, dot } = words[liveness]
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-soft">
      <span className={classes('size-2 rounded-full', dot)} aria-hidden />
      {text}
    </p>
  )
}

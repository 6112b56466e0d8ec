import type { QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { Card, Facts } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { ageMs } from './diagnose.ts'

export function QueueLog({ snapshot }: { snapshot: QueueSnapshot }) {
  const { audit_log: log } = snapshot
  const lag = ageMs(snapshot, log.oldest_waiting_at)
  return (
    <Card title="Audit log" hint="Every change gets its place in a signed log">
      <Facts
        facts={[
          [
            'Waiting for a place',
            log.waiting === 0
              ? 'None'
              : `${formatNumber(log.waiting)}, the oldest for ${formatDuration(lag)}`,
          ],
          ['Logs grown since they were signed', formatNumber(log.unsigned_logs)],
          ['Last signed', log.last_signed_at ? <Time key="signed" at={log.last_signed_at} /> : 'Never'],
          [
            'Signing keys',
            log.signing_keys === 0
              ? 'None: the log is kept, and nobody vouches for it'
              : formatNumber(log.signing_keys),
          ],
        ]}
      />
    </Card>
  )
}

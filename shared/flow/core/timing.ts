import type { Timing } from '../../lifecycle/execute.ts'
import { jitter } from '../../runtime/ids.ts'
import type { Context } from './context.ts'

/** The configured delays, spread anew for each use. */
export function timing({ config }: Context): Timing {
  const { retry_ms_min, retry_ms_max, retry_after_ms_max, reconcile_ms_min } = config
  return { terms: { retry_ms_min, retry_ms_max, retry_after_ms_max, reconcile_ms_min }, jitter: jitter() }
}

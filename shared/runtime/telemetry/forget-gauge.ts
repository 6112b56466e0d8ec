import type { Gauge } from 'prom-client'

/** Let a gauge say nothing: reset alone makes one without labels say zero. */
export function forgetGauge(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}

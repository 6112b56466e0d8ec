import { setImmediate } from 'node:timers'
import type { Actuator } from '../../shared/actuator/actuator.ts'

/** An actuator for `worker --actuators` that breaks the process it runs in, as its operation says, after its call. */
export const failing: Actuator = {
  name: 'failing',
  idempotency: 'none',
  async invoke({ operation }) {
    if (operation === 'reject') void Promise.reject(new Error('nobody catches this'))
    else setImmediate(() => raise())
    return { class: 'ok', detail: {} }
  },
}

function raise(): never {
  throw new Error('nobody catches this')
}

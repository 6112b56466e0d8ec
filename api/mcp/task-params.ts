import { ServiceError } from '../../shared/contract/base/errors.ts'
import { actionIdSchema } from '../../shared/contract/base/identifier.ts'

/** Returns the action id of a task. Rejects an invalid id like an unknown one, with `action_not_found`. */
export function taskId({ taskId: given }: Record<string, unknown>): string {
  const read = actionIdSchema.safeParse(given)
  if (read.success) return read.data
  throw new ServiceError('action_not_found', 'no action has this id')
}

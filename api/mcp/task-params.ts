import { ServiceError } from '../../shared/contract/base/errors.ts'
import { actionIdSchema } from '../../shared/contract/base/identifier.ts'

/** The id of an action, as a client names its task: one that cannot be an id is as unknown as one that never was. */
export function taskId({ taskId: given }: Record<string, unknown>): string {
  const read = actionIdSchema.safeParse(given)
  if (read.success) return read.data
  throw new ServiceError('action_not_found', 'no action has this id')
}

import { ServiceError } from '../../contract/base/errors.ts'

/** What is answered of an action whose content is gone for good: its export still proves what happened. */
export function contentErased(actionId: string): ServiceError {
  return new ServiceError('action_erased', `the content of ${actionId} was erased; its audit-export remains`)
}

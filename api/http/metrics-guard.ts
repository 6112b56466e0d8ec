import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { sha256 } from '../../shared/canon/digest.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import type { Config } from '../../shared/runtime/settings/config.ts'

export function refuseWithoutToken(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { metrics_token: token }: Pick<Config, 'metrics_token'>,
): void {
  if (token === undefined) return
  if (headers.authorization === undefined) throw new ServiceError('credential_required')
  const [shown, wanted] = [headers.authorization, `Bearer ${token}`].map(text => sha256(text))
  if (!shown || !wanted || !timingSafeEqual(shown, wanted)) throw new ServiceError('invalid_key')
}

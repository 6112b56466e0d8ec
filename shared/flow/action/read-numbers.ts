import type { Numbers, NumberWindow } from '../../contract/action/numbers-schema.ts'
import { beginOf, numbersIn } from '../../lifecycle/hour-numbers.ts'
import { wallTimeMs } from '../../runtime/clock.ts'
import { readNumbers as readKept } from '../../store/action/number-rows.ts'
import type { Context } from '../core/context.ts'

/** What was decided in a tenant and what came of it, in a window that ends now. */
export async function readNumbers(
  context: Context,
  { tenant_id, window }: { tenant_id: string; window: NumberWindow },
): Promise<Numbers> {
  const now = wallTimeMs()
  const since = new Date(beginOf(window, now)).toISOString()
  const reader = context.store.readEach([tenant_id])
  return numbersIn({ window, now, ...(await readKept(reader, tenant_id, since)) })
}

import type { RegistryDependencies } from '../../actuator/surroundings.ts'
import type { Context } from '../core/context.ts'
import { openDependencies } from '../execution/mark-worker.ts'

/**
 * Does work with what the worker of this process has around its actuators. Where there is none, it has the settings of
 * this process and no secret: those are in the workers alone.
 */
export async function withDependencies<Answer>(
  context: Context,
  work: (around: RegistryDependencies) => Promise<Answer>,
): Promise<Answer> {
  if (context.bench.dependencies) return work(context.bench.dependencies)
  const { around, close } = openDependencies(context, { modules: [], secrets: new Map() })
  try {
    return await work(around)
  } finally {
    await close()
  }
}

import type { Context } from '../../../shared/flow/core/context.ts'
import { writeSecret } from '../../../shared/store/tenant/tenant-secrets.ts'

/** A secret that nobody can open, bound to where the example of the documents sends it. */
export async function plantStoredSecret(
  { store }: Pick<Context, 'store'>,
  tenantId: string,
  secret: { name: string; actuator?: string },
): Promise<void> {
  const { name, actuator = 'payments' } = secret
  const sealed = { sealed: Buffer.alloc(40), wrapped_key: Buffer.alloc(80), key_id: '0'.repeat(16) }
  const bound_to = ['https://api.payments.example']
  await store.change([tenantId], query =>
    writeSecret(query, {
      tenant_id: tenantId,
      name,
      version: 1,
      actuator,
      bound_to,
      author: { source: 'test' },
      ...sealed,
    }),
  )
}

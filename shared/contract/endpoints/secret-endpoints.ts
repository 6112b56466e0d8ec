import { z } from 'zod'
import { secretNameSchema } from '../base/http-auth.ts'
import { tenantIdSchema } from '../base/identifier.ts'
import {
  secretChangedSchema,
  secretConfirmationSchema,
  secretListSchema,
  secretMetadataSchema,
  secretRequestSchema,
} from '../configuration/secret-schema.ts'
import type { Endpoint } from './endpoint.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const secretParams = z.strictObject({ tenant_id: tenantIdSchema, name: secretNameSchema })

/** Rows of the endpoint table for the secrets of actuators (extension). No row returns a value. */
export const secretEndpoints = {
  list_secrets: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/secrets',
    access: 'admin',
    summary: 'Secrets of a tenant without their values, and what its actuators lack.',
    params: tenantParams,
    answers: { 200: { description: 'All, by name.', body: secretListSchema } },
    errors: ['tenant_not_found'],
  },
  put_secret: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/secrets/{name}',
    access: 'admin',
    summary: 'Write a secret for one actuator, or replace its value; nothing reads it back.',
    description:
      'It is bound to the places that the actuator is registered for. Calls that begin after the answer use it.',
    params: secretParams,
    body: secretRequestSchema,
    answers: { 200: { description: 'Its new version.', body: secretChangedSchema } },
    errors: [
      'tenant_not_found',
      'actuator_not_found',
      'secret_mismatch',
      'secrets_not_configured',
      'too_many_secrets',
    ],
  },
  confirm_secret: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/secrets/{name}/confirm',
    access: 'admin',
    summary: 'Confirm that a secret may go where its actuator is registered for now.',
    params: secretParams,
    body: secretConfirmationSchema,
    answers: { 200: { description: 'As it is now.', body: secretChangedSchema } },
    errors: ['tenant_not_found', 'secret_not_found', 'actuator_not_found', 'secret_mismatch'],
  },
  delete_secret: {
    method: 'DELETE',
    path: '/v1/tenants/{tenant_id}/secrets/{name}',
    access: 'admin',
    summary: 'Delete a secret; the jobs of its actuator wait, a call under way goes on.',
    params: secretParams,
    answers: {
      200: { description: 'As it was.', body: z.strictObject({ secret: secretMetadataSchema }) },
    },
    errors: ['tenant_not_found', 'secret_not_found'],
  },
} as const satisfies Record<string, Endpoint>

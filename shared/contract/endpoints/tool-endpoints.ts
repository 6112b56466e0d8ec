import { z } from 'zod'
import { identifierSchema, tenantIdSchema } from '../base/identifier.ts'
import { toolHealthSchema } from '../configuration/tool-health-schema.ts'
import {
  changedToolSchema,
  localHostSchema,
  toolChangeSchema,
  toolImportSchema,
  toolProposalSchema,
  toolSchema,
  toolSummarySchema,
  toolTestedSchema,
  toolTestSchema,
} from '../configuration/tool-import.ts'
import type { Endpoint } from './endpoint.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const toolParams = tenantParams.extend({ system: identifierSchema })

const hostsSchema = z.strictObject({
  hosts: z.array(z.string()).describe('Of `SERVICE_EGRESS_ALLOW`, and those that were allowed so.'),
})

export const toolEndpoints = {
  list_tools: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/tools',
    access: 'admin',
    summary: 'Tools of a tenant: each system with its actuator and its operations.',
    params: tenantParams,
    answers: {
      200: {
        description: 'Every system, by name; without schemas.',
        body: z.strictObject({
          tools: z.array(toolSummarySchema),
        }),
      },
    },
    errors: ['tenant_not_found'],
  },
  read_tool: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/tools/{system}',
    access: 'admin',
    summary: 'A tool of a tenant: actuator, catalog entries and what the policy says of each.',
    params: toolParams,
    answers: { 200: { description: 'The tool.', body: toolSchema } },
    errors: ['tenant_not_found', 'tool_not_found'],
  },
  read_tool_health: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/tools/{system}/health',
    access: 'admin',
    summary: 'What came of the calls of a tool in the last day: rate, failures by code, latency.',
    description:
      'The newest actions of the tenant are looked at, up to a bound; where it was met, `cut` and `since` say so.',
    params: toolParams,
    answers: { 200: { description: 'Of the tool and of each operation.', body: toolHealthSchema } },
    errors: ['tenant_not_found', 'tool_not_found'],
  },
  import_tool: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/tool-imports',
    access: 'admin',
    summary:
      'What an import would make of an OpenAPI document or a Model Context Protocol server; stores nothing.',
    params: tenantParams,
    takes: 'documents',
    body: toolImportSchema,
    answers: { 200: { description: 'What would be changed.', body: toolProposalSchema, written: true } },
    errors: ['tenant_not_found', 'source_refused'],
  },
  change_tool: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/tools/{system}',
    access: 'admin',
    proves: 'counted',
    summary: 'Replace actuator, catalog entries and allowed operations of one system, all or none of it.',
    description:
      'One transaction makes the next revision of the policy and of the catalog. Other systems are left as they are.',
    params: toolParams,
    takes: 'documents',
    body: toolChangeSchema,
    answers: { 200: { description: 'What is in force.', body: changedToolSchema } },
    errors: [
      'tenant_not_found',
      'revision_mismatch',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
  },
  remove_tool: {
    method: 'DELETE',
    path: '/v1/tenants/{tenant_id}/tools/{system}',
    access: 'admin',
    proves: 'counted',
    summary: 'Remove a system from actuators, catalog and policy, all or none of it.',
    params: toolParams,
    answers: { 200: { description: 'What is in force.', body: changedToolSchema } },
    errors: [
      'tenant_not_found',
      'tool_not_found',
      'too_many_revisions',
      'verification_failed',
      'concurrent_change',
    ],
  },
  test_tool: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/tools/{system}/test',
    access: 'admin',
    summary: 'Render the request of an operation, and call it where it only reads or the call is confirmed.',
    description:
      'It is recorded as `tool_tested` in the configuration of the tenant, and is never an action: no policy decides it, and nothing of it is tried again.',
    params: toolParams,
    body: toolTestSchema,
    answers: { 200: { description: 'What was sent, and what came of it.', body: toolTestedSchema } },
    errors: ['tenant_not_found', 'tool_not_found'],
  },
  list_local_hosts: {
    method: 'GET',
    path: '/v1/local-hosts',
    access: 'admin',
    summary: 'Hosts that actuators may call at private addresses and without TLS.',
    answers: { 200: { description: 'Every host.', body: hostsSchema } },
    errors: [],
  },
  allow_local_host: {
    method: 'POST',
    path: '/v1/local-hosts',
    access: 'admin',
    summary: 'Let actuators call a host of this machine; in embedded mode alone, and kept beside its data.',
    body: localHostSchema,
    answers: { 200: { description: 'Every host that may be called.', body: hostsSchema } },
    errors: ['not_embedded'],
  },
} as const satisfies Record<string, Endpoint>

import { z } from 'zod'
import { count, proxies, row, type Setting, secret, size } from './setting.ts'

export const edgeSettings = {
  trust_proxy: row(
    'SERVICE_TRUST_PROXY',
    '',
    proxies,
    'Proxies believed: a number of hops or a list of addresses.',
  ),
  metrics_port: row(
    'SERVICE_METRICS_PORT',
    undefined,
    count(0, 65_535),
    'Port of its own for `/metrics` of the API, at the address of `--host`; the API answers it with 404 then. Unset: `/metrics` is a path of the API. 0 takes a free port.',
  ),
  metrics_token: secret(
    row(
      'SERVICE_METRICS_TOKEN',
      undefined,
      z.string().regex(/^[\x21-\x7e]{16,1000}$/, 'must be 16 to 1000 characters without a space'),
      'What `/metrics` of the API asks for as `Authorization: Bearer`; unset: nothing.',
    ),
  ),
  drain_ms: row(
    'SERVICE_DRAIN_MS',
    '0',
    count(0, 600_000),
    'Time after SIGTERM in which `/v1/ready` answers 503 `draining` and everything is still served, before the listener closes: longer than a load balancer takes to notice.',
  ),
  connections_max: row(
    'SERVICE_CONNECTIONS_MAX',
    '5000',
    count(10, 1e6),
    'Connections at once; more are closed as they come.',
  ),
  address_connections_max: row(
    'SERVICE_ADDRESS_CONNECTIONS_MAX',
    '1000',
    count(1, 1e6),
    'Connections at once from one address; behind a proxy as many as in all.',
  ),
  header_ms_max: row(
    'SERVICE_HEADER_MS_MAX',
    '10000',
    count(100, 600_000),
    'Time in which the header of a request must be there, from the connection on.',
  ),
  request_ms_max: row(
    'SERVICE_REQUEST_MS_MAX',
    '30000',
    count(100, 600_000),
    'Time in which a whole request must be there.',
  ),
  stall_ms_max: row(
    'SERVICE_STALL_MS_MAX',
    '70000',
    count(100, 3_600_000),
    'Time without a byte in either direction after which a connection is closed; longer than any wait.',
  ),
  list_bytes_max: row(
    'SERVICE_LIST_BYTES_MAX',
    '16m',
    size,
    'Bytes of pages of lists that a process has under way at once, a quarter of them for one tenant; what finds no room in two seconds is answered 503.',
  ),
  rules_bytes_max: row(
    'SERVICE_RULES_BYTES_MAX',
    '64m',
    size,
    'Bytes of compiled rules that a process keeps; of more, those of the tenants that were asked first are compiled again.',
  ),
  tenant_rate_limit: row(
    'SERVICE_TENANT_RATE_LIMIT',
    undefined,
    count(1, 1e10),
    'Requests a minute of all keys of a tenant; default ten times `SERVICE_RATE_LIMIT`.',
  ),
  organization_rate_limit: row(
    'SERVICE_ORGANIZATION_RATE_LIMIT',
    undefined,
    count(1, 1e10),
    'Requests a minute of all keys and sessions of an organization of hosted accounts; default three times that of a tenant.',
  ),
  keys_per_tenant_max: row(
    'SERVICE_KEYS_PER_TENANT_MAX',
    '100',
    count(1, 1e6),
    'Keys of a tenant that are neither revoked nor expired; one more is answered 409.',
  ),
  revision_bytes_max: row(
    'SERVICE_REVISION_BYTES_MAX',
    '64m',
    size,
    'Bytes of all revisions of policy and catalog of a tenant, which are kept for ever; one more is answered 409.',
  ),
  held_bytes_max: row(
    'SERVICE_HELD_BYTES_MAX',
    '256m',
    size,
    'Bytes that are recorded of the proposals of a tenant that wait for approval; one more that would wait is answered 409. Each further process may exceed it by an eighth, or by one proposal.',
  ),
} as const satisfies Record<string, Setting>

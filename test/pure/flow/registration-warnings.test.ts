import { expect, it } from 'vitest'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { secretsInQueries, warningsAbout } from '../../../shared/flow/execution/registration-warnings.ts'

const secret = { env: 'ACTUATOR_CRM' }
const registered = (auth: HttpSettings['auth']): RegisteredActuator => ({
  name: 'crm',
  kind: 'http',
  settings: { base_url: 'https://crm.example', operations: {}, auth },
})
const offer = { secrets: ['ACTUATOR_CRM'], mcp_servers: [], egress_allow: [], modules: [] }

it('a secret in a query gets a warning, one in a header gets none', () => {
  const actuators = [
    registered({ type: 'header', name: 'X-Key', value: secret }),
    registered({ type: 'query', name: 'key', value: secret }),
  ]
  expect(secretsInQueries(actuators)).toMatchObject([
    { path: 'actuators[1].settings.auth', code: 'secret_in_query' },
  ])
})

it('a token endpoint that may not be called gets a warning with its place', () => {
  const token = (token_url: string): RegisteredActuator =>
    registered({ type: 'oauth2_client_credentials', token_url, client_id: 'gate', client_secret: secret })
  expect(warningsAbout([token('https://login.example/token')], [offer])).toEqual([])
  expect(warningsAbout([token('http://login.example/token')], [offer])).toMatchObject([
    { path: 'actuators[0].settings.auth.token_url', code: 'egress_refused' },
  ])
})

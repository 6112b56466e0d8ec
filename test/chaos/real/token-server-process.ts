import type { RequestListener } from 'node:http'
import { listenOnSocket } from './listen-on-socket.ts'
import { resourceServer, workerClient } from './token-clients.ts'

/** oidc-provider as a process that keeps its tokens in memory: one that is killed knows none of them any more. */
type ProviderClass = new (issuer: string, configuration: object) => { callback(): RequestListener }

const tokenLivesS = 15
const name = 'oidc-provider'
const { default: Provider } = (await import(name)) as { default: ProviderClass }
const client = {
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'client_secret_basic',
}
const provider = new Provider('http://tokens.chaos.test', {
  clients: [
    { ...client, ...workerClient },
    { ...client, ...resourceServer, token_endpoint_auth_method: 'client_secret_post' },
  ],
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
  },
  scopes: ['payments'],
  ttl: { ClientCredentials: tokenLivesS },
})
listenOnSocket(provider.callback())

import { limits } from './limits.ts'

/** Derives the name of a server's bearer token from the name of its system or its address. */
export function bearerName(systemOrAddress: string): string {
  const host = URL.canParse(systemOrAddress) ? new URL(systemOrAddress).hostname : systemOrAddress
  const plain = host.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const begins = /^[a-z]/.test(plain) ? plain : `server_${plain}`
  return `${begins.slice(0, limits.secret_name_length_max - 10)}_token`
}

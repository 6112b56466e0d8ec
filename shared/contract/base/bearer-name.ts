import { limits } from './limits.ts'

export function bearerName(systemOrAddress: string): string {
  const host = URL.canParse(systemOrAddress) ? new URL(systemOrAddress).hostname : systemOrAddress
  const plain = host.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const begins = /^[a-z]/.test(plain) ? plain : `server_${plain}`
  return `${begins.slice(0, limits.secret_name_length_max - 10)}_token`
}

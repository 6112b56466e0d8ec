export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl, 'http://localhost').pathname.replace(/\/+$/, '')
}

/**
 * Removes the base path from a target if it is there, because a proxy may keep or strip it and probes come without
 * it.
 */
export function belowBase(target: string, basePath: string): string {
  const rest = target.startsWith(basePath) ? target.slice(basePath.length) : null
  if (rest === null || !/^([/?]|$)/.test(rest)) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Below which path a browser finds the service: that of `SERVICE_BASE_URL`, without a slash at its end. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl, 'http://localhost').pathname.replace(/\/+$/, '')
}

/** The target of a request as the routes know it: a proxy may keep the base path or strip it, and probes come without. */
export function belowBase(target: string, basePath: string): string {
  const rest = target.startsWith(basePath) ? target.slice(basePath.length) : null
  if (rest === null || !/^([/?]|$)/.test(rest)) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

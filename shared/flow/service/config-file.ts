import { readFileSync } from 'node:fs'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { type Issue, issuesOf } from '../../contract/base/errors.ts'
import { type ConfigFile, configFileSchema } from '../../contract/configuration/tenant.ts'
import { normalizePolicy } from '../../gate/normalize-policy.ts'
import { ConfigError } from '../../runtime/settings/config.ts'

/** Reads the JSON file of `--config` as strictly as a request; reports every problem with the path of its field. */
export function readConfigFile(path: string): ConfigFile {
  const json = parseStrictJson(readBytes(path))
  if (!json.ok) throw new ConfigError([{ ...json.issue, path: `${path}: ${json.issue.path || 'the file'}` }])
  const parsed = configFileSchema.safeParse(json.value)
  if (!parsed.success) throw new ConfigError(located(path, issuesOf(parsed.error)))
  const issues = parsed.data.tenants.flatMap((tenant, at) => {
    const normalized = normalizePolicy(tenant.policy)
    if (normalized.ok) return []
    return normalized.issues.map(issue => ({ ...issue, path: `tenants[${at}].policy.${issue.path}` }))
  })
  const ids = parsed.data.tenants.map(({ tenant_id }) => tenant_id)
  const repeated = ids.flatMap((id, at) =>
    ids.indexOf(id) < at
      ? [{ path: `tenants[${at}].tenant_id`, code: 'repeated', message: `${id} is given twice` }]
      : [],
  )
  if (issues.length + repeated.length > 0) throw new ConfigError(located(path, [...issues, ...repeated]))
  return parsed.data
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ path: '--config', code: 'unreadable', message: `cannot be read: ${reason}` }])
  }
}

function located(file: string, issues: readonly Issue[]): Issue[] {
  return issues.map(issue => ({ ...issue, path: `${file}: ${issue.path}` }))
}

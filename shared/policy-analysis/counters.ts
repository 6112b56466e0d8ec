const obstacleTexts: Readonly<Record<string, string>> = {
  system_not_allowed: 'the system is not allowed',
  operation_not_allowed: 'the operation is not allowed',
  explicit_operation_required: 'strict mode asks for a list of operations',
  catalog_required: 'strict mode asks for a catalog',
  operation_not_in_catalog: 'the operation is not in the catalog',
  actuator_binding_mismatch: 'no actuator can match the catalog',
  tool_schema_mismatch: 'no tool schema can match the catalog',
  approval_threshold: 'no claim of risk leads there',
  nothing_refuses: 'nothing refuses what is described',
  parameters: 'no parameters do',
}

const listedMax = 3

/** Why nothing was found, counted over operations, the most frequent reasons first. */
export function countersText(obstacles: ReadonlyMap<string, number>): string {
  if (obstacles.size === 0) return 'no operation fits the description'
  const sorted = [...obstacles].sort(([, left], [, right]) => right - left)
  const listed = sorted.slice(0, listedMax).map(([obstacle, count]) => `${count} × ${textOf(obstacle)}`)
  const rest = sorted.slice(listedMax).reduce((sum, [, count]) => sum + count, 0)
  return `proved for every operation: ${listed.join('; ')}${rest > 0 ? `; ${rest} × other reasons` : ''}`
}

function textOf(obstacle: string): string {
  return obstacleTexts[obstacle] ?? `no ${obstacle.replace(' ', ' of ')} does`
}

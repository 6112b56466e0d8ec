import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { audiences } from '../../../shared/contract/endpoints/endpoint.ts'

const { resolve } = createRequire(import.meta.url)

/** Write the page of the API reference, and Swagger UI beside it as its package ships it. */
export async function writeReference(web: string, fill: (template: string) => string): Promise<void> {
  const { version } = JSON.parse(await readFile(resolve('swagger-ui-dist/package.json'), 'utf8')) as {
    version: string
  }
  const [script, style] = [`assets/swagger-ui-${version}.js`, `assets/swagger-ui-${version}.css`]
  await copyFile(resolve('swagger-ui-dist/swagger-ui-bundle.js'), join(web, script))
  const styles = await readFile(resolve('swagger-ui-dist/swagger-ui.css'), 'utf8')
  await writeFile(join(web, style), styles.replaceAll(pictureInline, 'none'))
  const library = `<link rel="stylesheet" href="/ui/${style}">\n    <script defer src="/ui/${script}"></script>`
  const template = await readFile(join(web, 'docs-api.html'), 'utf8')
  const page = fill(template)
    .replace('<!-- LIBRARY -->', library)
    .replace('<!-- AUDIENCES -->', audienceLinks)
  await writeFile(join(web, 'docs', 'api.html'), page)
}

/** Pictures within the style sheet, which the policy of the pages does not load. */
const pictureInline = /url\(['"]?data:[^)]*\)/g

const audienceLinks = [
  '<a href="/docs/api">everybody</a>',
  ...audiences.map(name => `<a href="/docs/api?audience=${name}">${name}s</a>`),
].join(' ')

import { type Audience, audiences } from '../../../shared/contract/endpoints/endpoint.ts'
import { openApiDocument } from '../../../shared/contract/openapi/openapi.ts'
import { escapeHtml } from './escape-html.ts'
import { type Schema, schemaList, schemaTable, table, typeOf, words } from './reference-schemas.ts'
import type { Heading, RenderedPage, Section } from './render-markdown.ts'

interface Content {
  schema: Schema
  examples?: Readonly<Record<string, { value: unknown }>>
}

interface Answer {
  $ref?: string
  description?: string
  content?: Readonly<Record<string, Content>>
}

interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  parameters?: readonly { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Readonly<Record<string, Content>> }
  responses: Readonly<Record<string, Answer>>
}

interface Reference {
  info: { description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, Schema>>; responses: Readonly<Record<string, Answer>> }
}

type Row = Operation & { method: string; place: string }

/** Renders the API reference for all or for one audience, as static HTML that needs no script. */
export function referencePage(audience?: Audience): RenderedPage {
  const cut = audience === undefined ? {} : { audience }
  const document = openApiDocument({ version: '', base_url: '', ...cut }) as unknown as Reference
  const rows = [...rowsOf(document.paths), ...rowsOf(document.webhooks ?? {})]
  const headings: Heading[] = []
  const sections: Section[] = []
  const groups = document.tags.map(({ name, description }) => {
    const heading = { depth: 2, slug: slugOf(name), text: name }
    headings.push(heading)
    sections.push({ heading, text: description })
    const own = rows.filter(({ tags }) => tags.includes(name))
    for (const { operationId, method, place, summary, description: more = '' } of own) {
      const ofOperation = { depth: 3, slug: operationId, text: `${method} ${place}` }
      headings.push(ofOperation)
      sections.push({ heading: ofOperation, text: `${summary} ${more}`.replaceAll('`', '') })
    }
    return `<h2 id="${heading.slug}">${name}</h2>${words(description)}${own.map(row => operation(row, document)).join('\n')}`
  })
  return {
    title: 'API reference',
    lead: 'Every request and answer, from the OpenAPI document of this service.',
    html: [
      '<h1>API reference</h1>',
      '<p>Made from the OpenAPI document of this service: <a href="/openapi.yaml">YAML</a>, <a href="/openapi.json">JSON</a>. Choose an audience to see its requests alone.</p>',
      audienceLinks(audience),
      words(document.info.description),
      ...groups,
    ].join('\n'),
    headings,
    sections,
    files: [],
  }
}

/** Renders the schemas on a page of their own, since they are as long as all operations together. */
export function modelsPage(): RenderedPage {
  const { components } = openApiDocument({ version: '', base_url: '' }) as unknown as Reference
  const lead = 'The shapes that requests and answers of the <a href="/docs/api">API</a> are made of.'
  const html = `<h1>Models</h1>\n<p>${lead}</p>\n${schemaList(components.schemas)}`
  return { title: 'Models', lead: '', html, headings: [], sections: [], files: [] }
}

export const referenceNames: readonly (readonly [string, Audience?])[] = [
  ['api'],
  ...audiences.map(audience => [`api-${audience}`, audience] as const),
]

function audienceLinks(current: Audience | undefined): string {
  const links = referenceNames.map(([name, audience]) => {
    const here = audience === current ? ' aria-current="page"' : ''
    return `<a href="/docs/${name}"${here}>${audience === undefined ? 'everybody' : `${audience}s`}</a>`
  })
  return `<nav class="audiences" aria-label="Audience">${links.join(' ')}</nav>`
}

function rowsOf(places: Reference['paths']): Row[] {
  return Object.entries(places).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, row]) => ({ ...row, method: method.toUpperCase(), place })),
  )
}

function operation(row: Row, document: Reference): string {
  const { method, place, operationId, summary, description = '' } = row
  return `<details class="operation"><summary><h3 id="${operationId}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(place)}</code></h3> <span class="told">${escapeHtml(summary)}</span></summary>
<div class="body">${words(description)}${parametersOf(row)}${bodyOf(row)}${answersOf(row, document)}</div></details>`
}

function parametersOf({ parameters = [] }: Row): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: where, required, schema }) => [
    `<code>${escapeHtml(name)}</code>`,
    `${where}${required ? ', required' : ''}`,
    typeOf(schema),
    words(schema.description ?? ''),
  ])
  return `<h4>Parameters</h4>${table(['name', 'where', 'type', 'meaning'], rows)}`
}

function bodyOf({ requestBody }: Row): string {
  const [first] = Object.entries(requestBody?.content ?? {})
  if (!first) return ''
  return `<h4>Body</h4>${contentOf(first)}`
}

function answersOf({ responses }: Row, { components }: Reference): string {
  const answers = Object.entries(responses).map(([status, answer]) => {
    const name = answer.$ref?.split('/').at(-1) ?? ''
    return { status, ...answer, ...components.responses[name] }
  })
  const isError = ({ content = {} }: Answer) => 'application/problem+json' in content
  const own = answers.filter(answer => !isError(answer))
  const rows = own.map(({ status, description = '', content = {} }) => {
    const bodies = Object.values(content).map(({ schema }) => typeOf(schema))
    return [`<code>${status}</code>`, words(description), bodies.join(' or ')]
  })
  const examples = own.flatMap(({ content = {} }) => Object.values(content).map(examplesOf))
  const errors = answers.filter(isError).flatMap(({ description = '' }) => codesIn(description))
  return `<h4>Answers</h4>${table(['status', 'meaning', 'body'], rows)}${examples.join('')}${errorLinks(errors)}`
}

/** Finds the error codes in a description, which writes each in backticks before its title. */
function codesIn(description: string): string[] {
  return [...description.matchAll(/`([a-z_]+)`:/g)].flatMap(([, code]) => code ?? [])
}

function errorLinks(codes: readonly string[]): string {
  const links = codes.map(code => `<a href="/docs/errors#${code}">${code}</a>`)
  return links.length === 0 ? '' : `<p>Errors: ${links.join(', ')}.</p>`
}

function contentOf([type, content]: [string, Content]): string {
  const fields = content.schema.$ref === undefined ? schemaTable(content.schema) : ''
  return `<p><code>${type}</code>: ${typeOf(content.schema)}</p>${fields}${examplesOf(content)}`
}

function examplesOf({ examples = {} }: Content): string {
  return Object.entries(examples)
    .map(([name, { value }]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      return `<details class="example"><summary>Example: ${escapeHtml(name.replaceAll('_', ' '))}</summary><div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div></details>`
    })
    .join('')
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

/** What a plugin of Swagger UI is given. */
export interface SwaggerSystem {
  React: {
    createElement(
      name: string,
      attributes: Readonly<Record<string, unknown>> | null,
      ...content: unknown[]
    ): unknown
  }
}

interface MarkdownProps {
  source?: unknown
}

/**
 * Descriptions as elements instead of markup: the service lets no script turn text into markup. They have paragraphs and
 * `code`, and nothing else.
 */
export const plainMarkdown = () => ({
  wrapComponents: {
    Markdown:
      (_original: unknown, { React }: SwaggerSystem) =>
      ({ source }: MarkdownProps) =>
        typeof source === 'string' && source !== ''
          ? React.createElement('div', { className: 'markdown' }, ...paragraphs(React, source))
          : null,
  },
})

function paragraphs(React: SwaggerSystem['React'], source: string): unknown[] {
  return source
    .split(/\n{2,}/)
    .map((paragraph, key) => React.createElement('p', { key }, ...phrases(React, paragraph)))
}

/** Every second part is between backticks. */
function phrases(React: SwaggerSystem['React'], paragraph: string): unknown[] {
  return paragraph
    .split('`')
    .map((part, at) => (at % 2 === 1 ? React.createElement('code', { key: at }, part) : part))
}

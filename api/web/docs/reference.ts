import { plainMarkdown, type SwaggerSystem } from './plain-markdown.ts'
import './main.ts'

declare global {
  interface Window {
    /** What the script of Swagger UI, which the page loads before this one, leaves behind. */
    SwaggerUIBundle: SwaggerUi
  }
}

interface SwaggerUi {
  (options: Readonly<Record<string, unknown>>): SwaggerSystem
  presets: { apis: unknown }
}

const { pathname, search } = window.location
const audience = new URLSearchParams(search).get('audience')
for (const link of document.querySelectorAll<HTMLAnchorElement>('.audiences a')) {
  if (link.href.endsWith(pathname + search)) link.setAttribute('aria-current', 'page')
}

const reference = document.querySelector<HTMLElement>('#reference')
if (reference) {
  new MutationObserver(() => nameChoices(reference)).observe(reference, { childList: true, subtree: true })
}

/** Swagger UI gives no names to some of its choices, so a screen reader says nothing of them. */
function nameChoices(shown: HTMLElement): void {
  for (const choice of shown.querySelectorAll('select:not([aria-label])')) {
    const isExample = choice.classList.contains('examples-select-element')
    choice.setAttribute('aria-label', isExample ? 'Example' : 'Media type')
  }
}

/** The reference is read, not called: no key is typed into a page of documents. */
window.SwaggerUIBundle({
  url: audience === null ? '/openapi.json' : `/openapi.json?audience=${encodeURIComponent(audience)}`,
  domNode: reference,
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [plainMarkdown],
  deepLinking: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: false,
})

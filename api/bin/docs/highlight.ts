import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import { escapeHtml } from './escape-html.ts'

const languages = { bash, ini, javascript, json, python, sql, typescript, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Returns source as HTML, with syntax highlighting if the language is known. */
export function highlight(source: string, language: string): string {
  return hljs.getLanguage(language) ? hljs.highlight(source, { language }).value : escapeHtml(source)
}

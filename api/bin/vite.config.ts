import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'

/** Gives the pages the method, path and roles of every endpoint, since they need no more at run time. */
const endpointTable: Plugin = {
  name: 'endpoint-table',
  resolveId: id => (id === 'virtual:endpoints' ? '\0endpoints' : null),
  load(id) {
    if (id !== '\0endpoints') return null
    const table: Readonly<Record<string, Endpoint>> = endpoints
    const rows = Object.entries(table).map(([name, { method, path, roles }]) => [
      name,
      [method, path, ...(roles ? [roles] : [])],
    ])
    return `export const rows = ${JSON.stringify(Object.fromEntries(rows))}`
  },
}

const folder = (path: string) => fileURLToPath(new URL(`../web/${path}`, import.meta.url))

/**
 * Builds the pages `/app`, `/admin` (specification.md#web-pages) and `/docs` as static files without inline script
 * or style.
 */
export default defineConfig({
  root: folder('.'),
  base: '/ui/',
  // Pages use absolute paths, so that the service can prepend its base path; other files use relative ones.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/ui/${file}` : { relative: true }),
  },
  logLevel: 'warn',
  plugins: [react(), tailwindcss(), endpointTable],
  build: {
    outDir: folder('../../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    license: { fileName: 'licences.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(
        ['app', 'admin', 'approve', 'off', 'front', 'docs'].map(name => [name, folder(`${name}.html`)]),
      ),
    },
  },
})

import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'

/** Method, path and roles of every row of the endpoint table: all that the pages need of it once their types are erased. */
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

/** The pages `/app`, `/admin` (specification.md#web-pages) and `/docs`: files alone, without inline script or style. */
export default defineConfig({
  root: folder('.'),
  base: '/ui/',
  // Pages name what they load by its path, which the service moves below its base path. All else names its neighbour.
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

/** The path that the service runs under, since the scripts of its pages are served at `<base path>/ui/assets/`. */
export const basePath = /^(.*)\/ui\/assets\/[^/]+$/.exec(new URL(import.meta.url).pathname)?.[1] ?? ''

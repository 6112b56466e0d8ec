/**
 * The path prefix of the service, taken from this script's URL, because scripts are served at `<base
 * path>/ui/assets/`.
 */
export const basePath = /^(.*)\/ui\/assets\/[^/]+$/.exec(new URL(import.meta.url).pathname)?.[1] ?? ''

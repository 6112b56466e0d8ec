/** The bundler replaces the global `Buffer` of Node with this one, because a browser has none. */
export { Buffer } from 'buffer/'

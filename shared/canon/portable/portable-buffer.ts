/** The bundler replaces Node's global `Buffer` with this class, because browsers have no `Buffer`. */
export { Buffer } from 'buffer/'

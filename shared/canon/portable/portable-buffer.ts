/** The global `Buffer` that Node has and a browser has not; the bundler puts it wherever the name is used. */
export { Buffer } from 'buffer/'

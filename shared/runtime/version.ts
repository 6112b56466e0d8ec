import { readVersion } from '../command-line.ts'

/** Version of the service, as its package says. */
export const version: string = readVersion()

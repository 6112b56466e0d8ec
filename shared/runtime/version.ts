import { readVersion } from '../command-line.ts'

export const version: string = readVersion()

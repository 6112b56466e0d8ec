import { join } from 'node:path'
import { unpackedPackage } from './npm-package.ts'

/** Node 20 comes with it; it knows nothing of `allowScripts`. */
export const npmOfNode20 = '10.8.2'
const integrity = 'x/AIjFIKRllrhcb48dqUNAAZl0ig9+qMuN91RpZo3Cb2+zuibfh+KISl6+kVVyktDz230JKc208UkQwwMqyB+w=='

/** The program of that npm. */
export async function npmProgram(): Promise<string> {
  const unpacked = await unpackedPackage({ name: 'npm', version: npmOfNode20, integrity })
  return join(unpacked, 'bin', 'npm-cli.js')
}

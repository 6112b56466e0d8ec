import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The ids of the processes that were started for the directory or work in it. */
export function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        const worksThere = readlinkSync(`/proc/${pid}/cwd`).startsWith(directory)
        return worksThere || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory)
      } catch (error) {
        if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
        throw error
      }
    })
}

import { type RealSystem, realSystems } from '../check/evidence.ts'

/** What a proposal asks a server for that nobody here wrote, in the words of that server. */
export type RealParameters = { charge: string } | { duration: number; steps: number }

export function isReal(system: string): system is RealSystem {
  return realSystems.some(real => real === system)
}

/** Every name is one of its own, so that every effect is of one action. */
export function realParameters(system: RealSystem, name: string): RealParameters {
  return system.startsWith('mcp_') ? { duration: 0.2, steps: 2 } : { charge: name }
}

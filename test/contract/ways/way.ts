import type { Operation } from '../contract-document.ts'
import type { Asked } from '../valid-request.ts'
import type { Refusing, World } from '../world.ts'

export interface Stage {
  world: World
  refusing: Refusing
}

/** A request, and the service that it goes to where that is not the usual one. */
export interface Attempt {
  asked: Asked
  url?: string
  /** What is sent before, so that this one is answered as wanted. */
  before?: Asked
}

export type Way = (operation: Operation, stage: Stage) => Attempt | Promise<Attempt>

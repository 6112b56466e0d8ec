/** Work that grows with the size of a value, not only with the number of values: matching and comparing texts. */
export interface Spending {
  /** Throws `TooCostly` once more than the limit has been spent since the last `renew`. */
  spend(steps: number): void
  renew(): void
}

/** The judgement would take too long. It is ended rather than answered: under `not`, an answer could let through. */
export class TooCostly extends Error {}

export function createSpending(stepsMax: number): Spending {
  let spent = 0
  return {
    spend(steps) {
      spent += steps
      if (spent > stepsMax) throw new TooCostly(`more than ${stepsMax} steps`)
    },
    renew() {
      spent = 0
    },
  }
}

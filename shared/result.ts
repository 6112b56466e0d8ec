/** A value or a refusal. A refusal carries data and is returned instead of thrown. */
export type Result<Value, Refusal> = { ok: true; value: Value } | { ok: false; error: Refusal }

export function ok<Value>(value: Value): { ok: true; value: Value } {
  return { ok: true, value }
}

export function refused<Refusal>(error: Refusal): { ok: false; error: Refusal } {
  return { ok: false, error }
}

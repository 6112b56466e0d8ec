/** Where the code has a transaction of the model: the function that decides it, and says so with `model: name`. */
export interface ModelledFunction {
  file: string
  name: string
}

/** By the name that the model gives it in `tx: name`. */
export const transactions: Readonly<Record<string, ModelledFunction>> = {
  submit: { file: 'shared/store/action/ledger.ts', name: 'insertActions' },
  approve: { file: 'shared/lifecycle/decide.ts', name: 'approve' },
  reject: { file: 'shared/lifecycle/decide.ts', name: 'reject' },
  cancel: { file: 'shared/lifecycle/decide.ts', name: 'cancel' },
  supersede: { file: 'shared/lifecycle/decide.ts', name: 'supersede' },
  escalate: { file: 'shared/lifecycle/decide.ts', name: 'escalate' },
  expire: { file: 'shared/lifecycle/decide.ts', name: 'expire' },
  claim: { file: 'shared/lifecycle/execute.ts', name: 'claim' },
  refuse: { file: 'shared/lifecycle/execute.ts', name: 'refuse' },
  settle: { file: 'shared/lifecycle/execute.ts', name: 'settle' },
  judge: { file: 'shared/lifecycle/execute.ts', name: 'judgeExpiredLease' },
  late_result: { file: 'shared/store/job/reconcile-attempts.ts', name: 'insertLateResult' },
  take: { file: 'shared/store/job/reconcile-attempts.ts', name: 'takeReconcileAttempts' },
  find_executed: { file: 'shared/lifecycle/reconciliation.ts', name: 'findExecuted' },
  find_failed: { file: 'shared/lifecycle/reconciliation.ts', name: 'findFailed' },
  find_absent: { file: 'shared/lifecycle/reconciliation.ts', name: 'findAbsent' },
  repeat: { file: 'shared/lifecycle/reconciliation.ts', name: 'repeatKey' },
  find_nothing: { file: 'shared/lifecycle/reconciliation.ts', name: 'stillUnknown' },
  resolve: { file: 'shared/lifecycle/reconciliation.ts', name: 'resolve' },
}

/*
 * The protocol of this repository, for spin: what happens to ONE action, whoever dies when, and however late things
 * arrive. `node dist/test/model/check-model.js` checks it in every configuration of configurations.ts, with --all in the
 * big ones too. To see the shortest way to a violation, with the flags of a configuration:
 *   spin -a $flags gate.pml && gcc -DSAFETY -DBFS -o pan pan.c && ./pan ; spin -t -p $flags gate.pml
 *
 * Every atomic block is one transaction of the code (tx: its name in test/model/transactions.ts, and `model: name` in the
 * docstring there) or one event of the world outside (world: what). Between two blocks anything may happen: a process
 * that is at a step may stay there for ever (kill -9), or until much later (SIGSTOP), or go on.
 *
 * Configurations (-D):
 *   FRONT / BACK    from the proposal / from a job that is due; WORKERS, RECONCILERS, ATTEMPTS, ROUNDS: how many
 *   IDEMPOTENT      the downstream takes a repeated key for the same request, and the actuator says so
 *   VOID            the downstream refuses what arrives after not_after, and its look-up can void the key in one step
 *   ROUTE           a held action takes one approval of each of two groups, and a third group may help once it was asked
 *   OPERATOR        an operator turns the downstream off, looks, and resolves
 *   ONLY            the one invariant that is asked for, of those that state.pml names; all of them without it
 *   GOAL            asks whether something can come about at all: out_of_reach is violated when it does
 *   LIVE            with the LTL formula, for acceptance cycles under weak fairness
 * Broken on purpose, each must be caught: NOFENCE, NOINTENT, TOKENS=n (values are used again), EAGER, NAIVEFAIL, TOCTOU,
 * NOCAS, NOUNIQ, GETEXEC, NOSWEEP, DUALWRITE, OFFROUTE, EARLYHELP; and ROUNDS_KEPT, which the model found in the code.
 *
 * What it leaves out:
 *   - One action, one tenant: no fairness between tenants, no bounds on calls under way, no freeze (it only keeps back).
 *   - No clock. A lease, a hold, a back-off and the time that a round of reconcile is held may each end at any moment,
 *     which is more than any clock allows; so renewing a lease changes nothing here. Only not_after is an event, for
 *     the downstream knows it.
 *   - The doorbell, but in NOSWEEP: a claim may be made at any moment, as after a ring that nobody sent.
 *   - Commits are never lost (a failover to a stale replica is not here). An answer to a commit may be.
 *   - The downstream remembers a key for longer than all attempts take.
 *   - Attempts and rounds are few. Liveness assumes that every process that can go on does (weak fairness), and a
 *     database that answers.
 *   - The operator tells the truth after making sure that nothing arrives any more; one who guesses can be wrong.
 * A model proves the design, not the code; that its names agree with the code is tested beside it.
 */
#include "state.pml"
#include "world.pml"
#include "decide.pml"
#include "execute.pml"
#include "reconcile.pml"

#ifdef GOAL
proctype Goal() {
end:
  atomic { /* world: what is asked for has come about */
    GOAL -> assert(out_of_reach) }
}
#endif

init {
  atomic { /* world: everything starts */
#ifdef FRONT
    run Proposer(); run Proposer();
#ifdef ROUTE
    run Member(0); run Member(0); run Member(1);
    run Helper();
    run EscalationSweeper();
#else
    run Approver(); run Approver();
#endif
    run Rejecter();
    run Withdrawer();
    run Editor();
    run HoldSweeper();
#else
    st = pending; job = true; granted = true; actions = 1;
#endif
#ifdef GETEXEC
    run Reader();
#endif
    run Worker(0);
#if WORKERS > 1
    run Worker(1);
#endif
    run Downstream();
#ifndef NOSWEEP
    run LeaseSweeper();
#endif
#if RECONCILERS > 0
    run Reconciler();
#endif
#if RECONCILERS > 1
    run Reconciler();
#endif
#ifdef VOID
    run Clock();
#endif
#ifdef OPERATOR
    run Operator();
#endif
#ifdef NOSWEEP
    run Doorbell();
#endif
#ifdef GOAL
    run Goal();
#endif
  }
}

#ifdef LIVE
ltl settles {
  [] ((st == pending || st == executing) ->
    <> (st == executed || st == denied || st == failed || st == unknown))
}
#endif

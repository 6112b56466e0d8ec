/*
 * What is stored, and what must hold. A job's state follows its action's status (pending, leased = executing, unknown,
 * done = terminal), so one variable stands for both; `job` says only whether the row is there.
 */
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef RECONCILERS
#define RECONCILERS 1
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
/* So many claims at most: the action's own time is over then, if it was not before. */
#ifndef CLAIMS
#define CLAIMS (ATTEMPTS + ROUNDS)
#endif
#if CLAIMS > 5
#error the downstream knows five attempts
#endif
#ifdef IDEMPOTENT
#define key_honoured true
#else
#define key_honoured false
#endif

/* Of the action; `held` is pending_approval, `failed` is execution_failed. */
mtype = { none, held, pending, executing, unknown, executed, denied, failed };
/* Classes of an outcome, as a worker sees them: ok, unknown, failed, retry. And what a look-up finds besides. */
mtype = { did, unclear, refused, later, absent };

mtype st = none;
bool job;             /* the row of execution_jobs is there */
byte attempt;         /* claims so far; each takes a token of its own, so it stands for lease_token as well */
byte uncounted;       /* attempts that provably had no effect */
byte leases_lost;     /* attempts whose worker did not report */
bool maybe;           /* maybe_executed */
byte rounds;          /* of reconcile */
bool late;            /* a row of late_results: the action is `proven` */

byte actions;         /* rows, for one proposal_id */
byte approvals;       /* events of each kind, to judge by */
byte refusals;
byte outcomes;
byte doubtful;        /* attempts that may have had an effect */
bool granted;         /* a verdict `allow` or an approval is recorded */
#ifdef ROUTE
/* A route that takes one approval of each of two groups. */
bool given[2];        /* an approval counts for the group */
byte counted;         /* approvals so far, whatever they count for */
bool helping;         /* the event escalation: another group may stand in */
#endif

/* The downstream. */
byte effects;
byte under_way;       /* one bit for each attempt whose request may still arrive */
bool key_void;        /* nothing with this key is done any more */
byte closed;          /* not_after is over for the attempts up to this one */

/* Calls that wait: of which attempt, and the answer once it is there. */
byte asks[2];
mtype answer[2];

/* Fencing tokens: values of a sequence. */
#ifdef TOKENS
#define token_of(n) ((n) % TOKENS)
#else
#define token_of(n) (n)
#endif
#ifdef NOFENCE
#define still_holds(mine) true
#else
#define still_holds(mine) (token_of(mine) == token_of(attempt))
#endif

#define attempts_left (attempt - uncounted < ATTEMPTS)
#ifdef LOSTFREE
#define is_repeated true
#else
#define is_repeated (leases_lost < ATTEMPTS)
#endif

#define terminal(s) (s == executed || s == denied || s == failed)

/* What must hold: true until it is violated, and then pan reports the name. */
bool one_action = true, one_approval = true, never_both_decisions = true;
bool one_effect = true, effect_was_granted = true, no_effect_after_no = true;
bool failed_means_no_effect = true, executed_means_effect = true;
bool terminal_stays = true, one_outcome = true;
bool few_leases_lost = true, few_doubtful = true;
bool each_group_gave = true, help_was_asked = true;
bool out_of_reach = false;
#define unknown_at_all (st == unknown)
#define proved_late (late && st == executed)
#define tried_again (attempt > 1 && rounds > 0 && !maybe && st == executed)
#define repeated_key (attempt > ATTEMPTS && st == executed)
#define tried_for_long (attempt > ATTEMPTS && rounds == 0 && st == executed)
#define settled_failed (rounds > 0 && st == failed)
#define granted_with_help (helping && approvals == 1)
#define helped_and_expired (helping && counted == 1 && st == denied)

#define number_of_all 0
#define number_of_one_action 1
#define number_of_one_approval 2
#define number_of_never_both_decisions 3
#define number_of_one_effect 4
#define number_of_effect_was_granted 5
#define number_of_no_effect_after_no 6
#define number_of_failed_means_no_effect 7
#define number_of_executed_means_effect 8
#define number_of_terminal_stays 9
#define number_of_one_outcome 10
#define number_of_few_leases_lost 11
#define number_of_few_doubtful 12
#define number_of_each_group_gave 13
#define number_of_help_was_asked 14
#ifndef ONLY
#define ONLY all
#endif
#define number_of(name) number_of_(name)
#define number_of_(name) number_of_##name
#define asked_for(name) (number_of(ONLY) == 0 || number_of(ONLY) == number_of_##name)
#define MUST(name, condition) name = ((condition) || !asked_for(name)); assert(name)

/* Inside a transaction: the next status, with its event. */
inline move(to) {
  MUST(terminal_stays, !terminal(st));
  st = to;
  if
  :: terminal(to) -> outcomes++; MUST(one_outcome, outcomes <= 1)
  :: else
  fi;
  MUST(executed_means_effect, st != executed || effects > 0);
  MUST(failed_means_no_effect, st != failed || effects == 0);
  MUST(no_effect_after_no, st != denied || effects == 0)
}

/* Claim, call, record; and the sweeper, which judges leases that ran out. */

#ifdef NAIVEFAIL
#define counts_as_maybe false
#else
#define counts_as_maybe maybe
#endif

#ifdef COUNTNONE
#define had_no_effect(outcome) (outcome == later || outcome == unclear)
#else
#define had_no_effect(outcome) (outcome == later)
#endif

/*
 * Inside a transaction: what an attempt came to (shared/lifecycle/outcome.ts); the worst attempt decides. What provably had
 * no effect is tried until the action's own time is over, which may be at any moment; what may have had one so many times.
 */
inline conclude(outcome) {
  if
  :: had_no_effect(outcome) -> uncounted++
  :: else
  fi;
  if
  :: outcome == did -> move(executed)
  :: outcome == unclear ->
     maybe = true;
     doubtful++;
     MUST(few_doubtful, doubtful <= ATTEMPTS + rounds);
     if
     :: key_honoured && attempts_left -> move(pending)
     :: else -> move(unknown)
     fi
  :: outcome == later && attempt < CLAIMS -> move(pending)
  :: outcome == refused || outcome == later ->
     if
     :: counts_as_maybe -> move(unknown)
     :: else -> move(failed)
     fi
  fi
}

#ifdef NOSWEEP
#define woken rung
#else
#define woken true
#endif

/* A claim is the write-ahead as well: when it is committed, the attempt is on record, and only then anything is sent. */
proctype Worker(bit me) {
  byte mine;
  mtype outcome;

idle:
  mine = 0; outcome = none;
end:
  if
  :: atomic { /* tx: claim */
       woken && st == pending && job && attempt < CLAIMS && (key_honoured || !maybe) ->
       attempt++; mine = attempt; move(executing) }
  :: atomic { /* tx: refuse */
       woken && st == pending && job ->
       if
       :: maybe -> move(unknown)
       :: else -> move(failed)
       fi }
     goto idle
  fi;

  if
  :: atomic { /* world: the call is sent */
       under_way = under_way | bit_of(mine); asks[me] = mine }
     if
     :: atomic { /* world: the answer is read */
          answer[me] != 0 -> outcome = answer[me] }
     :: outcome = unclear /* too late, no answer in time, the lease is lost, it threw */
     :: outcome = none /* killed */
     fi;
     atomic { /* world: the call is over */
       asks[me] = 0; answer[me] = 0 }
  :: outcome = later /* nothing was sent: the claim took too long, or the lease was lost before */
  :: skip /* killed */
  fi;
  if
  :: outcome == none -> goto idle
  :: else
  fi;

settle:
  if
  :: atomic { /* tx: settle */
       st == executing && still_holds(mine) -> conclude(outcome) }
#ifndef LIVE
     if
     :: goto settle /* the answer of the commit was lost: recorded again */
     :: goto idle
     fi
#else
     goto idle
#endif
  :: st != executing || !still_holds(mine) /* fenced */
  :: goto idle /* killed */
  fi;
  if
  :: outcome != did -> goto idle /* a late refusal proves nothing */
  :: else
  fi;
  if
  :: atomic { /* tx: late_result */
       late = true }
  :: goto idle /* killed */
  fi;
  if
  :: atomic { /* tx: find_executed */
       st == unknown -> move(executed) }
  :: true /* illegal, or killed */
  fi;
  goto idle
}

proctype LeaseSweeper() {
end:
  do
  :: atomic { /* tx: judge */
       st == executing ->
       leases_lost++;
       MUST(few_leases_lost, leases_lost <= ATTEMPTS);
#ifdef NOINTENT
       move(pending) /* broken: no attempt is on record, so none was made */
#else
       conclude(unclear)
#endif
     }
  od
}

/* What becomes of an unknown outcome. A round may be taken again before its end: whoever took it first may be asleep. */

proctype Reconciler() {
  byte seen;
  bool over; /* not_after was over when the round was taken */
  bool proof;
  mtype found;

idle:
  seen = 0; over = false; proof = false; found = none;
end:
  atomic { /* tx: take */
    st == unknown && rounds < ROUNDS ->
    seen = rounds; over = (closed >= attempt); proof = late };

  if
  :: proof ->
     atomic { /* tx: find_executed */
       if
       :: st == unknown -> move(executed)
       :: else
       fi };
     goto idle
  :: !proof && key_honoured && is_repeated -> /* inside the time that the downstream remembers the key */
     atomic { /* tx: repeat */
       if
       :: st == unknown && rounds == seen -> rounds++; move(pending)
       :: else
       fi };
     goto idle
  :: !proof
  fi;

  atomic { /* world: the look-up */
    if
    :: effects > 0 -> found = did
    :: effects == 0 -> found = absent
#ifdef VOID
    :: effects == 0 -> found = refused;
#ifndef TOCTOU
       key_void = true
#endif
#endif
    :: found = unclear
    fi };
#ifdef TOCTOU
  atomic { /* world: broken: the key is void a step later, the time is read a step later */
    over = (closed >= attempt);
    if
    :: found == refused -> key_void = true
    :: else
    fi };
#endif
#ifdef EAGER
  over = true;
#endif

  if
  :: found == did ->
     atomic { /* tx: find_executed */
       if
       :: st == unknown -> move(executed)
       :: else
       fi }
  :: found == refused ->
     atomic { /* tx: find_failed */
       if
       :: st == unknown && rounds == seen && !late -> move(failed)
       :: st == unknown && rounds == seen && late -> rounds = ROUNDS /* contradicted: left to an operator */
       :: else
       fi }
  :: found == absent && over ->
     atomic { /* tx: find_absent */
       if
       :: st == unknown && rounds == seen && !late && attempts_left && attempt < CLAIMS ->
          maybe = false;
#ifndef ROUNDS_KEPT
          rounds++;
#endif
          move(pending)
       :: st == unknown && rounds == seen && !late && !(attempts_left && attempt < CLAIMS) -> move(failed)
       :: st == unknown && rounds == seen && late -> rounds = ROUNDS
       :: else
       fi }
  :: found == unclear || (found == absent && !over) ->
     atomic { /* tx: find_nothing */
       if
       :: st == unknown && rounds == seen -> rounds++
       :: else
       fi }
  fi;
  goto idle
}

#ifdef OPERATOR
proctype Operator() {
  bool happened;
end_waiting:
  atomic { /* world: the downstream is turned off, then looked at */
    st == unknown -> key_void = true; happened = (effects > 0) };
end:
  atomic { /* tx: resolve */
    st == unknown ->
    if
    :: happened -> move(executed)
    :: !happened && !late -> move(failed)
    :: !happened && late /* contradicted */
    fi }
}
#endif

/* The downstream system and time. A request that is under way may arrive at any moment, or never. */

#define bit_of(n) (1 << ((n) - 1))

/* Whoever still waits for this attempt hears of it; if nobody does, or its answer is lost, nobody does. */
inline reply(n, said) {
  if
  :: asks[0] == n -> answer[0] = said
  :: asks[1] == n -> answer[1] = said
  :: else
  fi
}

inline take_effect() {
  if
  :: key_honoured && effects > 0 /* the same request again: answered as the first time */
  :: else ->
     effects++;
     MUST(effect_was_granted, granted);
     MUST(one_effect, effects <= 1);
     MUST(no_effect_after_no, st != denied);
     MUST(failed_means_no_effect, st != failed)
  fi
}

inline arrive(n) {
  under_way = under_way & ~bit_of(n);
  if
  :: !key_void && n > closed -> take_effect(); reply(n, did)
  :: true -> reply(n, refused)
  :: true -> reply(n, later)
  fi
}

proctype Downstream() {
end:
  do
  :: atomic { /* world: a request arrives */
       (under_way & bit_of(1)) -> arrive(1) }
  :: atomic { /* world: a request arrives */
       (under_way & bit_of(2)) -> arrive(2) }
  :: atomic { /* world: a request arrives */
       (under_way & bit_of(3)) -> arrive(3) }
  :: atomic { /* world: a request arrives */
       (under_way & bit_of(4)) -> arrive(4) }
  :: atomic { /* world: a request arrives */
       (under_way & bit_of(5)) -> arrive(5) }
  od
}

#ifdef VOID
proctype Clock() {
end:
  do
  :: atomic { /* world: not_after is over */
       closed < attempt -> closed = attempt }
  od
}
#endif

#ifdef GETEXEC
/* Broken: a GET that brings about what it finds unfinished. */
proctype Reader() {
end:
  atomic { /* world: GET /v1/actions/{id} */
    st == held || st == pending -> under_way = under_way | bit_of(5) }
}
#endif

#ifdef NOSWEEP
/* Redis, which may forget. */
bool rung = true;
proctype Doorbell() {
end:
  atomic { /* world: Redis forgets */
    rung = false }
}
#endif

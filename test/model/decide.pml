/* From the proposal to a decision: requests that race for one action. */

/* Inside a transaction: the job is made with the grant. */
inline grant() {
  granted = true;
#ifndef DUALWRITE
  job = true;
#endif
  move(pending)
}

/* The job in a transaction of its own: the process may die before it. */
inline make_job_later() {
#ifdef DUALWRITE
  if
  :: atomic { /* world: the job in a second transaction */
       granted -> job = true }
  :: skip /* killed between the two */
  fi
#else
  skip
#endif
}

/* One request of two with the same proposal_id; each reads the policy for itself. */
proctype Proposer() {
  bool found;
#ifdef NOUNIQ
  atomic { /* world: broken: a select before the insert */
    found = (actions > 0) };
#endif
  atomic { /* tx: submit */
#ifndef NOUNIQ
    found = (actions > 0);
#endif
    if
    :: found /* on conflict do nothing: the answer is the action as it is */
    :: !found ->
       actions++;
       MUST(one_action, actions <= 1);
       if
       :: grant()
       :: move(held)
       :: refusals++; move(denied)
       fi
    fi
  };
  make_job_later()
}

proctype Approver() {
end:
#ifdef NOCAS
  atomic { /* world: broken: read, then write */
    st == held };
  atomic { /* tx: approve */
#else
  atomic { /* tx: approve */
    st == held ->
#endif
    approvals++;
    MUST(one_approval, approvals <= 1);
    MUST(never_both_decisions, approvals == 0 || refusals == 0);
    grant()
  };
  make_job_later()
}

#ifdef ROUTE
#ifdef OFFROUTE
#define lacks(group) true
#else
#define lacks(group) (!given[group])
#endif

/* Inside a transaction: an approval for a group; the last one grants. */
inline count_for(group) {
  given[group] = true;
  counted++;
  if
  :: counted == 2 ->
     approvals++;
     MUST(one_approval, approvals <= 1);
     MUST(each_group_gave, given[0] && given[1]);
     MUST(never_both_decisions, approvals == 0 || refusals == 0);
     grant()
  :: else
  fi
}

/* Somebody of a group, who approves once. */
proctype Member(byte group) {
end:
  atomic { /* tx: approve */
    st == held && lacks(group) -> count_for(group) }
}

/* Somebody of the group that helps. */
proctype Helper() {
end:
#ifdef EARLYHELP
  atomic { /* tx: approve */
    st == held ->
#else
  atomic { /* tx: approve */
    st == held && helping ->
#endif
    MUST(help_was_asked, helping);
    if
    :: !given[0] -> count_for(0)
    :: !given[1] -> count_for(1)
    fi
  }
}

proctype EscalationSweeper() {
end:
  atomic { /* tx: escalate */
    st == held && !helping -> helping = true }
}
#endif

proctype Rejecter() {
end:
  atomic { /* tx: reject */
    st == held -> refusals++; move(denied);
    MUST(never_both_decisions, approvals == 0 || refusals == 0) }
}

proctype Withdrawer() {
end:
  atomic { /* tx: cancel */
    st == held -> refusals++; move(denied) }
}

/* An edit ends the action; what takes its place is another one. */
proctype Editor() {
end:
  atomic { /* tx: supersede */
    st == held -> refusals++; move(denied);
    MUST(never_both_decisions, approvals == 0 || refusals == 0) }
}

proctype HoldSweeper() {
end:
  do
  :: atomic { /* tx: expire */
       st == held -> refusals++; move(denied) }
  od
}

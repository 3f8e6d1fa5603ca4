/*
 * The protocol of Escapement as a model: two runs of one key, two workers, two schedulers.
 * Spin explores every order of their steps. ../model.md says how to read and run it.
 *
 * Each branch of a `do` is one step that nobody interrupts: one SQL statement, one Lua script, or one act of a
 * single process. A process may die, freeze, or lose a server between any two steps.
 * `-DNO_GUARD_X` removes the guard X. `-DCRASH=1` and the like allow a fault.
 */

/* ---- Bounds ---- */

#ifndef LIMIT
#define LIMIT 1        /* slots of the key */
#endif
#ifndef CRASH
#define CRASH 0        /* a worker or a scheduler dies */
#endif
#ifndef FLUSH
#define FLUSH 0        /* Redis loses everything */
#endif
#ifndef FREEZE
#define FREEZE 0       /* a worker stands still, and wakes up at some later time */
#endif
#ifndef CUT
#define CUT 0          /* 1: a worker loses Postgres or Redis for a while; 2: it may lose both */
#endif
#ifndef REPLY
#define REPLY 0        /* the reply to a begin is lost, a job is delivered twice, a finish cannot be written */
#endif
#ifndef PERSON
#define PERSON 0       /* somebody edits or pauses the task, or cancels a run */
#endif
#ifndef STEADY
#define STEADY 0       /* rows are made as `planned`: triggers, and steady intervals whose repeat does not come */
#endif

/* Time passes in ticks of a fifth of the lease time: 2 s of the default of 10 s. */
#define TTL 5          /* a lease in Redis ends, a heartbeat is too old: packages/core/src/lease-times.ts */
#define SELF 4         /* a worker no longer trusts its own proof: SELF_ABORT_SHARE of worker.ts */
#define GONE 2         /* a lease that was taken away is over: LEASE_GONE_SHARE */
#define ABORT 3        /* an aborted handler has ended: ABORT_BOUND_MS, 2.5 ticks */
#ifndef BOUND
#define BOUND ABORT    /* I5: ticks for which a key may have one handler too many */
#endif

/* ---- The ledger in Postgres ---- */

#define ABSENT 0
#define PLANNED 1
#define QUEUED 2
#define WAITING 3
#define RUNNING 4
#define RETRYING 5
#define ENDED 6        /* any terminal state, or `unknown` */
#define ATTEMPTS 2

/* Table `run`. Run 0 is due before run 1. Runs and workers are stored with 1 added: 0 means none. */
byte state[2];
byte dispatch[2];
byte attempt[2];
byte fence[2];
byte slot[2];
byte worker[2];
byte epoch[2];
bool cancelled[2];
/* Table `key_slot`, by slot; place 0 is not used. */
byte slotFence[3];
byte slotRun[3];
/* Tables `task` and `task_plan`. */
byte next;             /* the next occurrence to be planned; 2: none */
byte planSeq;
byte planEpoch;
bool dropped;          /* an edit took the instant of run 1 out of the schedule */
bool paused;
/* Table `process`: ticks since the last heartbeat of a worker. */
byte silent[2];
/* Ticks since when a heartbeat of its own worker has left a running run out. */
byte leftOut[2];

/* ---- Redis ---- */

/* A lease by slot: its run, dispatch and worker; worker 0: reserved for a woken run. */
byte leaseRun[3];
byte leaseDispatch[3];
byte leaseWorker[3];
byte leaseAge[3];
/* Jobs that wait, as bits 1 << dispatch, by run; and the one that each worker has taken. */
byte jobs[2];
byte takenRun[2];
byte takenDispatch[2];

/* ---- What each worker knows ---- */

#define IDLE 0
#define TOOK 1         /* has a job */
#define LOOKED 2       /* the ledger allows it; needs a lease */
#define LEASED 3       /* has a lease; may begin */
#define ASKED 4        /* the reply to its begin was lost; asks again */
#define BUSY 5         /* the key is busy; wants to wait */
#define REFUSED 6      /* the ledger refused the begin for good; wants to end the run */
#define WORK 7         /* the handler is at work */
#define RETURNED 8     /* the handler has ended; wants to finish */
byte at[2];
byte hand[2];          /* the run */
byte handDispatch[2];
byte handSlot[2];      /* the slot whose lease it has; 0: none */
byte handFence[2];
byte handAttempt[2];
byte proof[2];         /* ticks since the last renewal of the lease; TTL: it has none */
byte aborting[2];      /* 0: no; else 1 + ticks since the abort */
bool movedOn[2];       /* it has tried the other slot */
bool forgot[2];        /* its marker in Redis is gone */
bool dead[2];
bool frozen[2];
bool noPostgres[2];
bool noRedis[2];

/* ---- What each scheduler has in hand ---- */

bool gone[2];          /* the scheduler died */
byte sawSeq[2];        /* a planner has read the task: 1 + plan_seq, and the occurrence that is next */
byte sawNext[2];
byte toAdd[2];         /* a planner has to add the job of a run */
byte repair[2];        /* what the reconciler has found of a run, and how the run looked */
byte repairDispatch[2];
byte repairAttempt[2];
#define NOTHING 0
#define ADD_JOB 1
#define LOSE 2
#define MARK 3
bool readded[2];       /* the reconciler has added its job again in this tick */
byte goneFor[2];       /* ticks since when the reconciler finds no lease of a running run */

/* ---- Faults that are left, and what only the properties ask ---- */

byte crashes = CRASH;
byte flushes = FLUSH;
byte freezes = FREEZE;
byte cuts = CUT;
byte replies = REPLY;
byte twice = REPLY;
byte failures = REPLY;
byte acts = PERSON;
bool hurt;             /* a worker died, froze, was cut off, or could not write a finish */
byte rows[2];          /* rows of the occurrence */
byte newest[3];        /* the largest fence that a slot has given */
byte losses[2];        /* attempts that were taken away, or gave up */
byte over;             /* ticks for which the key has had one handler too many */
/* Names of the properties: Spin prints the assertion that fails. They are always false. */
bool I1, I3, I4, I5, I6, I8, I13, WITHDRAWN;

/* ---- Words ---- */

#define alive(w) (!dead[w] && !frozen[w])
#define postgres(w) (alive(w) && !noPostgres[w])
#define redis(w) (alive(w) && !noRedis[w])
#define hasJob(r) (jobs[r] != 0)
#define isOfJob(r, d) ((state[r] == QUEUED && dispatch[r] == d) || \
  ((state[r] == PLANNED || state[r] == RETRYING) && dispatch[r] + 1 == d))
/* run_has_not_begun.sql */
#define notBegun(r) ((state[r] == PLANNED || state[r] == QUEUED || state[r] == WAITING) && attempt[r] == 0)
/* wait_queue_ahead.sql under `wait-all`: run 0 goes before run 1 until it begins or ends. */
#define isOutOfTurn(r) (r == 1 && attempt[1] == 0 && notBegun(0) && !cancelled[0])
#ifdef NO_GUARD_ORDER
#define behind(r) (false)
#else
#define behind(r) (isOutOfTurn(r))
#endif
#define isEdited(r) (attempt[r] == 0 && epoch[r] != planEpoch)
#define isPaused(r) (attempt[r] == 0 && paused)
/* slot_taken.sql. A reservation lasts while its run is queued: with two runs nobody else asks for the slot. */
#define isTaken(s) (slotRun[s] != 0 && (state[slotRun[s] - 1] == RUNNING || state[slotRun[s] - 1] == RETRYING || state[slotRun[s] - 1] == QUEUED))
#define heldByAnother(r, s) (slotRun[s] != r + 1 && isTaken(s))
#if LIMIT == 1
#define isFull(r) heldByAnother(r, 1)
#else
#define isFull(r) (heldByAnother(r, 1) && heldByAnother(r, 2))
#endif
#define ownLease(w) (handSlot[w] != 0 && leaseRun[handSlot[w]] == hand[w] + 1 && leaseDispatch[handSlot[w]] == handDispatch[w] && leaseWorker[handSlot[w]] == w + 1)
#define leaseOfRun(r) (slot[r] != 0 && leaseRun[slot[r]] == r + 1 && leaseDispatch[slot[r]] == dispatch[r] && leaseWorker[slot[r]] == worker[r])
/* active-runs.ts: a worker goes on while Postgres hears it, or while its lease is good for a margin to come. */
#define isProven(w) (silent[w] < SELF || proof[w] < SELF)
#define atWork(w) (at[w] == WORK && alive(w))
/* A handler whose run nobody has taken away. */
#define isRightful(w) (at[w] == WORK && !dead[w] && state[hand[w]] == RUNNING && attempt[hand[w]] == handAttempt[w])

inline clearLease(place) { leaseRun[place] = 0; leaseDispatch[place] = 0; leaseWorker[place] = 0; leaseAge[place] = 0 }

inline giveLease(place, whose, number, owner) { leaseRun[place] = whose + 1; leaseDispatch[place] = number; leaseWorker[place] = owner; leaseAge[place] = 0 }

inline forget(w) {
  at[w] = IDLE; hand[w] = 0; handDispatch[w] = 0; handSlot[w] = 0; handFence[w] = 0; handAttempt[w] = 0;
  proof[w] = TTL; aborting[w] = 0; movedOn[w] = false
}

/* The worker lets go of its run. A release that Redis does not hear leaves the lease to expire, and the job as taken. */
inline letGo(w) {
  if
  :: redis(w) && ownLease(w) -> clearLease(handSlot[w])
  :: else
  fi;
  if
  :: redis(w) -> takenRun[w] = 0; takenDispatch[w] = 0
  :: else
  fi;
  forget(w)
}

inline wake(o) {
  if
  :: state[o] == WAITING && !cancelled[o] && !isFull(o) && !behind(o) ->
    if
    :: !heldByAnother(o, 1) -> slot[o] = 1
    :: else -> slot[o] = LIMIT
    fi;
    slotRun[slot[o]] = o + 1;
    state[o] = QUEUED; dispatch[o]++
  :: else
  fi
}

/* The tail of finish_runs.sql, wake_waiting.sql: the end of a run wakes the next one, and reserves its slot. */
inline endRun(r) {
  if
  :: slot[r] != 0 && slotRun[slot[r]] == r + 1 -> slotRun[slot[r]] = 0
  :: else
  fi;
  state[r] = ENDED; slot[r] = 0; worker[r] = 0; goneFor[r] = 0; leftOut[r] = 0;
  wake(1 - r)
}

/* ---- Schedulers ---- */

/* packages/queue/src/jobs/run-queue.ts: BullMQ ignores an id that it still holds. */
inline addJob(added, number) {
  if
  :: (takenRun[0] == added + 1 && takenDispatch[0] == number) || (takenRun[1] == added + 1 && takenDispatch[1] == number)
  :: else -> jobs[added] = jobs[added] | (1 << number)
  fi
}

inline plan(p, r) {
  if
#ifdef NO_GUARD_OCCURRENCE_KEY
  :: true ->
#else
  :: state[r] == ABSENT ->
#endif
    rows[r]++;
    assert(I1 || rows[r] == 1);
    epoch[r] = planEpoch;
    if
    :: STEADY -> state[r] = PLANNED
    :: !STEADY -> state[r] = QUEUED; dispatch[r] = 1; toAdd[p] = r + 1
    fi
  :: else ->
    /* ON CONFLICT: a row of before the edit goes over into the new version. */
    if
    :: state[r] == PLANNED || state[r] == QUEUED -> epoch[r] = planEpoch
    :: else
    fi
  fi
}

/* packages/scheduler/src/planner.ts, packages/store/src/runs/plan-runs.ts */
proctype Planner(byte p) {
  do
  :: atomic { !gone[p] && next < 2 && sawSeq[p] == 0 && toAdd[p] == 0 ->
    sawSeq[p] = planSeq + 1; sawNext[p] = next }
  :: atomic { !gone[p] && sawSeq[p] != 0 ->
    if
#ifdef NO_GUARD_PLAN_SEQ
    :: true ->
#else
    :: planSeq + 1 == sawSeq[p] ->
#endif
      planSeq++;
      next = (sawNext[p] == 0 && dropped -> 2 : sawNext[p] + 1);
      plan(p, sawNext[p])
    :: else   /* another planner, or an edit, has moved the task */
    fi;
    sawSeq[p] = 0; sawNext[p] = 0 }
  /* The jobs follow the statement. If the planner dies in between, the reconciler adds them. */
  :: atomic { !gone[p] && toAdd[p] != 0 ->
    addJob(toAdd[p] - 1, dispatch[toAdd[p] - 1]); toAdd[p] = 0 }
  od
}

inline giveUp(r) {
  losses[r]++;
  if
  :: attempt[r] < ATTEMPTS && !cancelled[r] -> state[r] = RETRYING; goneFor[r] = 0; leftOut[r] = 0; worker[r] = 0
  :: endRun(r)
  fi
}

/* finish_runs.sql without a fence, for who did not run it. core/verdict.ts: it is tried again, or it ends. */
inline lose(r) {
  if
#ifdef NO_GUARD_LOSE_AS_SEEN
  :: true ->
#else
  :: state[r] == RUNNING && dispatch[r] == repairDispatch[r] && attempt[r] == repairAttempt[r] ->
#endif
    assert(I4 || state[r] == RUNNING);
    assert(I8 || hurt);
    giveUp(r)
  :: else   /* the run has moved on */
  fi
}

inline forgetRepair(r) { repair[r] = NOTHING; repairDispatch[r] = 0; repairAttempt[r] = 0 }

inline found(what, number) { repairDispatch[r] = number; repair[r] = what }

#define isTakenBy(w, r) (takenRun[w] == r + 1 && takenDispatch[w] == dispatch[r])
#define isInQueue(r, d) ((jobs[r] & (1 << (d))) != 0 || (takenRun[0] == r + 1 && takenDispatch[0] == d) || (takenRun[1] == r + 1 && takenDispatch[1] == d))
#define hasInHand(w, r) (at[w] != IDLE && hand[w] == r)
#define isStuckAt(w, r) (isTakenBy(w, r) && (silent[w] >= TTL || !hasInHand(w, r)))

/* lost-runs.ts and lost-runs.ts of the store: the worker is silent and its lease is over, or it lists the run no more. */
#define w_(r) (worker[r] - 1)
#ifdef NO_GUARD_HEARTBEAT_PROOF
#define isSilent(r) (true)
#else
#define isSilent(r) (silent[w_(r)] >= TTL)
#endif
#ifdef NO_GUARD_LEASE_PROOF
#define leaseIsOver(r) (true)
#else
#ifdef NO_GUARD_LEASE_GONE
#define leaseIsOver(r) (!leaseOfRun(r))
#else
#define leaseIsOver(r) (!leaseOfRun(r) && goneFor[r] > GONE)
#endif
#endif
#ifdef NO_GUARD_LEFT_OUT
#define isLeftOut(r) (false)
#else
#define isLeftOut(r) (leftOut[r] >= 2)
#endif
#define isLost(r) (isLeftOut(r) || (isSilent(r) && leaseIsOver(r)))

/* The dispatcher adds a job, and then marks its run: packages/scheduler/src/dispatcher.ts.
 * The reconciler (packages/scheduler/src/reconciler) looks, and then repairs what is still as it looked.
 * Cluster locks let one scheduler at a time do this; the other one goes on if it dies. */
proctype Repairs(byte r) {
  do
  :: atomic { repair[r] == NOTHING && (state[r] == PLANNED || state[r] == RETRYING) && !isInQueue(r, dispatch[r] + 1) ->
    addJob(r, dispatch[r] + 1); found(MARK, dispatch[r] + 1) }
#ifndef NO_GUARD_MISSING_JOBS
  /* missing-jobs.ts, overdue-runs.ts. A run that is to be cancelled ends before anybody looks for its job. */
  :: atomic { repair[r] == NOTHING && state[r] == QUEUED && !cancelled[r] && !isInQueue(r, dispatch[r]) && !readded[r] && toAdd[0] != r + 1 && toAdd[1] != r + 1 ->
    found(ADD_JOB, dispatch[r]); readded[r] = true }
#endif
#ifndef NO_GUARD_STUCK_JOBS
  /* redispatch-runs.ts: a worker took the job, and no living worker has it. The run gets the next dispatch number. */
  :: atomic { repair[r] == NOTHING && state[r] == QUEUED && (isStuckAt(0, r) || isStuckAt(1, r)) ->
    dispatch[r]++; found(ADD_JOB, dispatch[r]); readded[r] = true }
#endif
#ifndef NO_GUARD_LOST_RUNS
  :: atomic { repair[r] == NOTHING && state[r] == RUNNING && isLost(r) ->
    found(LOSE, dispatch[r]); repairAttempt[r] = attempt[r] }
#endif
#ifndef NO_GUARD_CANCEL_PENDING
  /* findCancelledRuns of cancel-run.ts */
  :: atomic { repair[r] == NOTHING && cancelled[r] && (state[r] == PLANNED || state[r] == QUEUED || state[r] == WAITING || state[r] == RETRYING) ->
    endRun(r) }
#endif
  :: atomic { repair[r] != NOTHING ->
    if
    :: repair[r] == ADD_JOB -> addJob(r, repairDispatch[r])
    :: repair[r] == MARK ->
      if
      :: state[r] != QUEUED && isOfJob(r, repairDispatch[r]) -> state[r] = QUEUED; dispatch[r] = repairDispatch[r]
      :: else
      fi
    :: repair[r] == LOSE -> lose(r)
    fi;
    forgetRepair(r) }
  od
}

/* ---- Workers: packages/worker/src/execute/executor.ts ---- */

/* A lease of this run under this dispatch or a later one: its job was delivered twice. */
#define isDelivered(w, s) (leaseRun[s] == hand[w] + 1 && leaseDispatch[s] >= handDispatch[w] && !(leaseDispatch[s] == handDispatch[w] && leaseWorker[s] == w + 1))
#define mine(w, s) (leaseRun[s] == hand[w] + 1)
/* Nobody has the lease, or its run neither runs nor is about to: `isOver` of take-lease.ts. */
#define isOverRun(s) (state[leaseRun[s] - 1] == ENDED || state[leaseRun[s] - 1] == WAITING || state[leaseRun[s] - 1] == ABSENT || (leaseWorker[s] == 0 && state[leaseRun[s] - 1] != QUEUED))
#define isOpen(w, s) (leaseRun[s] == 0 || (leaseRun[s] != 0 && isOverRun(s)))
#define isDecided(s) (leaseWorker[s] == 0 || (leaseRun[s] != 0 && attempt[leaseRun[s] - 1] > 0))
/* The holder has not begun, and is just about to: a worker waits for it. */
#define mayBegin(w) (postgres(w) && (at[w] == LEASED || at[w] == ASKED) && isProven(w))
#define isDeciding(s) (leaseWorker[s] != 0 && mayBegin((leaseWorker[s] - 1)) && hand[leaseWorker[s] - 1] == leaseRun[s] - 1)
#define mustWait(w) (!mine(w, 1) && !mine(w, LIMIT) && !isOpen(w, 1) && !isOpen(w, LIMIT) && ((!isDecided(1) && isDeciding(1)) || (!isDecided(LIMIT) && isDeciding(LIMIT))))

/* store/src/runs/admission.ts */
#ifdef NO_GUARD_BEGIN_AS_QUEUED
#define isStale(w) (false)
#else
#define isStale(w) (!isOfJob(hand[w], handDispatch[w]))
#endif
#ifdef NO_GUARD_BEGIN_CANCELLED
#define refusedCancel(r) (false)
#else
#define refusedCancel(r) (cancelled[r])
#endif
#ifdef NO_GUARD_BEGIN_EDITED
#define refusedEdit(r) (false)
#else
#define refusedEdit(r) (isEdited(r))
#endif
#ifdef NO_GUARD_BEGIN_PAUSED
#define refusedPause(r) (false)
#else
#define refusedPause(r) (isPaused(r))
#endif
#ifdef NO_GUARD_BEGIN_SLOT
#define refusedSlot(w) (false)
#else
#define refusedSlot(w) (heldByAnother(hand[w], handSlot[w]))
#endif
#define isWithdrawn(r) (refusedCancel(r) || refusedEdit(r) || refusedPause(r))
#define isRefused(w) (isStale(w) || isWithdrawn(hand[w]) || behind(hand[w]) || refusedSlot(w))

#ifdef NO_GUARD_FINISH_STATE
#define isAsBegun(w) (true)
#else
#define isAsBegun(w) (state[hand[w]] == RUNNING)
#endif
#ifdef NO_GUARD_FINISH_FENCE
#define isOwnFence(w) (true)
#else
#define isOwnFence(w) (attempt[hand[w]] == handAttempt[w] && fence[hand[w]] == handFence[w] && slotRun[handSlot[w]] == hand[w] + 1 && slotFence[handSlot[w]] == handFence[w])
#endif
#define mayFinish(w) (isAsBegun(w) && isOwnFence(w))

inline refuse(w) {
  if
  :: isStale(w) -> letGo(w)
  :: !isStale(w) && isWithdrawn(r) -> at[w] = REFUSED
  :: !isStale(w) && !isWithdrawn(r) && !behind(r) && LIMIT > 1 && !movedOn[w] && redis(w) && isOpen(w, 3 - handSlot[w]) ->
    /* `moveOn` of take-lease.ts */
    if
    :: ownLease(w) -> clearLease(handSlot[w])
    :: else
    fi;
    handSlot[w] = 3 - handSlot[w]; giveLease(handSlot[w], r, handDispatch[w], w + 1); proof[w] = 0; movedOn[w] = true; at[w] = LEASED
  :: else -> at[w] = BUSY
  fi
}

inline begin(w) {
  assert(I4 || state[r] != ENDED);
  assert(I8 || attempt[r] == losses[r]);
  assert(I13 || !isOutOfTurn(r));
  assert(I5 || LIMIT > 1 || !isRightful((1 - w)));
  assert(WITHDRAWN || (!cancelled[r] && !isEdited(r) && !isPaused(r) && !(r == 1 && dropped && attempt[r] == 0)));
#ifndef NO_GUARD_FENCE_GROWS
  slotFence[handSlot[w]]++;
#endif
  assert(I3 || slotFence[handSlot[w]] > newest[handSlot[w]]);
  newest[handSlot[w]] = slotFence[handSlot[w]];
  slotRun[handSlot[w]] = r + 1;
  state[r] = RUNNING; dispatch[r] = handDispatch[w]; attempt[r]++; worker[r] = w + 1; slot[r] = handSlot[w];
  fence[r] = slotFence[handSlot[w]]; goneFor[r] = 0; leftOut[r] = 0
}

inline startHandler(w) {
  handFence[w] = fence[r]; handAttempt[w] = attempt[r]; movedOn[w] = false; at[w] = WORK
}

/* The run is judged once more, from the look-up on. */
inline again(w) {
  if
  :: redis(w) && ownLease(w) -> clearLease(handSlot[w])
  :: else
  fi;
  handSlot[w] = 0; proof[w] = TTL; movedOn[w] = false; at[w] = TOOK
}

/* The lease goes to the woken run, which this worker begins itself, or whose job it adds. */
inline handOver(w) {
  if
  :: redis(w) && slotRun[handSlot[w]] == (1 - r) + 1 && state[1 - r] == QUEUED ->
    if
    :: ownLease(w) -> giveLease(handSlot[w], 1 - r, 0, 0)
    :: else
    fi;
    takenRun[w] = 0; takenDispatch[w] = 0;
    forget(w);
    if
    :: hand[w] = 1 - r; handDispatch[w] = dispatch[1 - r]; at[w] = TOOK
    :: addJob(1 - r, dispatch[1 - r])
    fi
  :: else -> letGo(w)
  fi
}

proctype Worker(byte w) {
  byte r;
  do
  /* packages/queue/src/consumer, claim.ts: from here on heartbeats list the run. */
  :: atomic { redis(w) && at[w] == IDLE && (hasJob(0) || hasJob(1)) ->
    if
    :: hasJob(0) -> r = 0
    :: hasJob(1) -> r = 1
    fi;
    handDispatch[w] = (jobs[r] & 2 -> 1 : (jobs[r] & 4 -> 2 : (jobs[r] & 8 -> 3 : (jobs[r] & 16 -> 4 : (jobs[r] & 32 -> 5 : (jobs[r] & 64 -> 6 : 7))))));
    if
    :: jobs[r] = jobs[r] & ~(1 << handDispatch[w])
    :: twice > 0 -> twice--
    fi;
    hand[w] = r; takenRun[w] = r + 1; takenDispatch[w] = handDispatch[w]; at[w] = TOOK; r = 0 }

  /* look-up.ts */
  :: atomic { postgres(w) && at[w] == TOOK ->
    if
    :: !isOfJob(hand[w], handDispatch[w]) -> letGo(w)
    :: isOfJob(hand[w], handDispatch[w]) && behind(hand[w]) -> at[w] = BUSY
    :: else -> at[w] = LOOKED
    fi }

  /* take-lease.ts, `acquire` and `takeOver` of lease-scripts.ts */
  :: atomic { redis(w) && postgres(w) && at[w] == LOOKED && !mustWait(w) ->
    if
    :: isDelivered(w, 1) || isDelivered(w, LIMIT) -> letGo(w)
    :: else ->
      if
      :: mine(w, 1) -> r = 1
      :: !mine(w, 1) && mine(w, LIMIT) -> r = LIMIT
      :: !mine(w, 1) && !mine(w, LIMIT) && isOpen(w, 1) && (LIMIT == 1 || slot[hand[w]] != LIMIT || !isOpen(w, LIMIT)) -> r = 1
      :: !mine(w, 1) && !mine(w, LIMIT) && isOpen(w, LIMIT) && (!isOpen(w, 1) || slot[hand[w]] == LIMIT) -> r = LIMIT
      :: else -> r = 0
      fi;
      if
      :: r != 0 -> giveLease(r, hand[w], handDispatch[w], w + 1); handSlot[w] = r; proof[w] = 0; at[w] = LEASED
      :: r == 0 && isDecided(1) && isDecided(LIMIT) -> at[w] = BUSY
      :: else -> letGo(w)   /* `undecided`: the reconciler brings it back */
      fi
    fi;
    r = 0 }

  /* begin.ts, begin-runs.ts. A worker that nothing proves waits until a heartbeat gets through. */
  :: atomic { postgres(w) && (at[w] == LEASED || at[w] == ASKED) && isProven(w) ->
    r = hand[w];
    if
#ifndef NO_GUARD_BEGIN_ID
    :: at[w] == ASKED && state[r] == RUNNING && worker[r] == w + 1 && dispatch[r] == handDispatch[w] -> startHandler(w)
    :: !(at[w] == ASKED && state[r] == RUNNING && worker[r] == w + 1 && dispatch[r] == handDispatch[w]) && isRefused(w) -> refuse(w)
#else
    :: isRefused(w) -> refuse(w)
#endif
    :: !isRefused(w) && !(at[w] == ASKED && state[r] == RUNNING && worker[r] == w + 1 && dispatch[r] == handDispatch[w]) ->
      begin(w);
      if
      :: startHandler(w)
      :: replies > 0 && at[w] == LEASED -> replies--; at[w] = ASKED
      fi;
      if
      :: LIMIT > 1 && alive(w) -> wake(1 - r)   /* `wakeBehind` of busy-key.ts */
      :: LIMIT > 1
      :: LIMIT == 1
      fi
    fi;
    r = 0 }

  /* busy-key.ts, wait_run.sql: the policy is `wait-all`. */
  :: atomic { postgres(w) && at[w] == BUSY ->
    r = hand[w];
    if
    :: !isOfJob(r, handDispatch[w]) || cancelled[r] -> letGo(w)
    :: isOfJob(r, handDispatch[w]) && !cancelled[r] && !isFull(r) && !behind(r) -> again(w)
    :: else ->
      state[r] = WAITING; dispatch[r] = handDispatch[w];
      if
      :: slot[r] != 0 && slotRun[slot[r]] == r + 1 -> slotRun[slot[r]] = 0
      :: else
      fi;
      slot[r] = 0;
      letGo(w)
    fi;
    r = 0 }

  /* `refuse` of busy-key.ts: superseded, skipped or cancelled, if the run is as it was seen. */
  :: atomic { postgres(w) && at[w] == REFUSED ->
    r = hand[w];
    if
    :: isOfJob(r, handDispatch[w]) && (cancelled[r] || isEdited(r) || isPaused(r)) -> endRun(r)
    :: else
    fi;
    letGo(w);
    r = 0 }

  /* run-handler.ts: the handler ends by itself. */
  :: atomic { alive(w) && at[w] == WORK -> at[w] = RETURNED }

#ifndef NO_GUARD_SELF_ABORT
  /* `abortUnproven` of active-runs.ts: a worker that can prove nothing aborts its handler. */
  :: atomic { alive(w) && at[w] == WORK && aborting[w] == 0 && !isProven(w) -> aborting[w] = 1 }
#endif

  /* finish.ts, finish_runs.sql, hand-over.ts */
  :: atomic { postgres(w) && at[w] == RETURNED ->
    r = hand[w];
    if
    :: mayFinish(w) ->
      assert(I4 || (state[r] == RUNNING && attempt[r] == losses[r] + 1));
      assert(I3 || (handFence[w] == newest[handSlot[w]] && fence[r] == handFence[w]));
      if
      :: aborting[w] == 0 -> endRun(r)
      :: aborting[w] != 0 -> giveUp(r)
      fi;
      handOver(w)
    :: else -> letGo(w)   /* `stale`: the result is refused */
    fi;
    r = 0 }
  :: atomic { alive(w) && at[w] == RETURNED && failures > 0 -> failures--; hurt = true; letGo(w) }
  od
}

/* ---- Time ---- */

/* A step of a living worker takes less than a tick. One that takes longer is a worker that is frozen or cut off. */
#define canStep(w) ((postgres(w) && (at[w] == TOOK || at[w] == BUSY || at[w] == REFUSED || at[w] == RETURNED)) || \
  mayBegin(w) || (postgres(w) && redis(w) && at[w] == LOOKED && !mustWait(w)) || \
  (redis(w) && at[w] == IDLE && (hasJob(0) || hasJob(1))) || mustAbort(w) || (alive(w) && at[w] == WORK && aborting[w] > ABORT))
#ifdef NO_GUARD_SELF_ABORT
#define mustAbort(w) (false)
#else
#define mustAbort(w) (alive(w) && at[w] == WORK && aborting[w] == 0 && !isProven(w))
#endif
/* Time passes only while something grows older that somebody waits for. */
#define growsOld(w) ((silent[w] < TTL && !postgres(w)) || (silent[w] > 0 && postgres(w)) || (handSlot[w] != 0 && proof[w] < TTL && !redis(w)) || \
  (handSlot[w] != 0 && redis(w) && (!ownLease(w) || proof[w] > 0) && proof[w] < TTL) || (alive(w) && at[w] == WORK && aborting[w] > 0))
#define isKept(s) (leaseWorker[s] != 0 && redis(leaseWorker[s] - 1) && handSlot[leaseWorker[s] - 1] == s && ownLease(leaseWorker[s] - 1))
#define expires(s) (leaseRun[s] != 0 && !isKept(s))
#define isMissed(r) (state[r] == RUNNING && ((!leaseOfRun(r) && goneFor[r] <= GONE) || (isUnlisted(r) && leftOut[r] < 2)))
#define isUnlisted(r) (worker[r] != 0 && postgres(worker[r] - 1) && !hasInHand(worker[r] - 1, r))
#define timeMatters (growsOld(0) || growsOld(1) || expires(1) || expires(LIMIT) || isMissed(0) || isMissed(1) || readded[0] || readded[1] || (LIMIT == 1 && atWork(0) && atWork(1) && over <= BOUND))

inline tick(w) {
  if
  :: postgres(w) -> silent[w] = 0
  :: !postgres(w) && silent[w] < TTL -> silent[w]++
  :: else
  fi;
  if
  :: handSlot[w] == 0
  :: handSlot[w] != 0 && !redis(w) ->
    if
    :: proof[w] < TTL -> proof[w]++
    :: else
    fi
  /* lease-renewal.ts: a lease that Redis has forgotten is taken again while it is fresh, and while nobody else has it. */
  :: handSlot[w] != 0 && redis(w) ->
    if
    :: ownLease(w) && proof[w] < TTL -> proof[w] = 0; leaseAge[handSlot[w]] = 0
    :: leaseRun[handSlot[w]] == 0 && forgot[w] && proof[w] < GONE ->
      giveLease(handSlot[w], hand[w], handDispatch[w], w + 1); proof[w] = 0
    :: else -> proof[w] = TTL
    fi
  fi;
  if
  :: redis(w) -> forgot[w] = false
  :: else
  fi;
  if
  :: alive(w) && aborting[w] > 0 && at[w] == WORK -> aborting[w]++
  :: else
  fi
}

inline age(s) {
  if
  :: expires(s) ->
    leaseAge[s]++;
    if
    :: leaseAge[s] >= TTL ->
      /* A lease that ran out is over at once. */
      if
      :: state[leaseRun[s] - 1] == RUNNING && leaseOfRun((leaseRun[s] - 1)) -> goneFor[leaseRun[s] - 1] = GONE
      :: else
      fi;
      clearLease(s)
    :: else
    fi
  :: else
  fi
}

inline miss(r) {
  if
  :: state[r] == RUNNING && !leaseOfRun(r) && goneFor[r] <= GONE -> goneFor[r]++
  :: state[r] == RUNNING && leaseOfRun(r) -> goneFor[r] = 0
  :: else
  fi;
  if
  :: state[r] == RUNNING && isUnlisted(r) && leftOut[r] < 2 -> leftOut[r]++
  :: state[r] == RUNNING && !isUnlisted(r) -> leftOut[r] = 0
  :: else
  fi;
  readded[r] = false
}

proctype Time() {
  do
  :: atomic { timeMatters && !canStep(0) && !canStep(1) ->
    if
    :: atWork(0) && atWork(1) && LIMIT == 1 -> over++; assert(I5 || over <= BOUND)
    :: else -> over = 0
    fi;
    tick(0); tick(1);
    age(1);
    if
    :: LIMIT > 1 -> age(2)
    :: else
    fi;
    miss(0); miss(1) }
  od
}

/* ---- What goes wrong, and what people do ---- */

/* Workers are alike: the one that suffers is worker 0. So are schedulers. */
proctype Faults() {
  do
  :: atomic { crashes > 0 && !dead[0] -> crashes--; hurt = true; dead[0] = true; frozen[0] = false; noPostgres[0] = false; noRedis[0] = false;
    aborting[0] = 0; handFence[0] = 0; handAttempt[0] = 0; movedOn[0] = false;
    if
    :: at[0] > TOOK -> at[0] = TOOK
    :: else
    fi }
  :: atomic { crashes > 0 && !gone[0] -> crashes--; gone[0] = true; sawSeq[0] = 0; sawNext[0] = 0; toAdd[0] = 0 }
  :: atomic { crashes > 0 && repair[0] != NOTHING -> crashes--; forgetRepair(0) }
  :: atomic { crashes > 0 && repair[1] != NOTHING -> crashes--; forgetRepair(1) }
  :: atomic { flushes > 0 -> flushes--;
    jobs[0] = 0; jobs[1] = 0; takenRun[0] = 0; takenDispatch[0] = 0; takenRun[1] = 0; takenDispatch[1] = 0;
    clearLease(1); clearLease(2); forgot[0] = true; forgot[1] = true }
  :: atomic { freezes > 0 && alive(0) -> freezes--; hurt = true; frozen[0] = true }
  :: atomic { frozen[0] -> frozen[0] = false }
  :: atomic { cuts > 0 && alive(0) && !noPostgres[0] -> cuts--; hurt = true; noPostgres[0] = true }
  :: atomic { cuts > 0 && alive(0) && !noRedis[0] -> cuts--; hurt = true; noRedis[0] = true }
  :: atomic { noPostgres[0] || noRedis[0] -> noPostgres[0] = false; noRedis[0] = false }
  /* Nothing more goes wrong. */
  :: atomic { crashes + flushes + freezes + cuts + replies + twice + failures + acts > 0 ->
    crashes = 0; flushes = 0; freezes = 0; cuts = 0; replies = 0; twice = 0; failures = 0; acts = 0 }
  od
}

proctype Person() {
  do
  /* packages/operations/src/tasks/save-task.ts: the new schedule has no instant of run 1. What has not begun is planned again. */
  :: atomic { acts > 0 -> acts--; planEpoch++; planSeq++; dropped = true;
    next = (state[0] == ABSENT || notBegun(0) -> 0 : 2) }
  :: atomic { acts > 0 -> acts--; paused = true }
  /* packages/store/src/runs/cancel-run.ts. The worker of a running one ends it: cancel-watch.ts. */
  :: atomic { acts > 0 && state[0] != ABSENT && state[0] != ENDED -> acts--; cancelled[0] = true }
  :: atomic { acts > 0 && state[1] != ABSENT && state[1] != ENDED -> acts--; cancelled[1] = true }
  od
}

/* I6: when nobody can do anything more, each run has ended, and the key is free. */
proctype Rest() {
  timeout ->
  assert(I6 || (next == 2 && (state[0] == ENDED || state[0] == ABSENT) && (state[1] == ENDED || state[1] == ABSENT) && (dropped || state[1] == ENDED) && slotRun[1] == 0 && slotRun[2] == 0))
}

init {
  atomic {
    proof[0] = TTL; proof[1] = TTL;
    run Planner(0); run Planner(1); run Repairs(0); run Repairs(1); run Worker(0); run Worker(1); run Time(); run Faults(); run Person(); run Rest()
  }
}

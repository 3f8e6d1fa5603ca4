// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of code, as text
import type { MutantLines } from './mutant.ts';

/** Mutants that change nothing anybody could see, each with the reason. `was` and `becomes` are whole lines. */
export const EQUIVALENTS: readonly (MutantLines & { why: string })[] = [
  {
    file: 'packages/core/src/verdict.ts',
    was: 'retryAt: new Date(now.getTime() + RECOVERY_DELAY_MS),',
    becomes: 'retryAt: new Date(now.getTime() - RECOVERY_DELAY_MS),',
    why: 'the delay is 0',
  },
  {
    file: 'packages/core/src/schedule/calendar/occurrences.ts',
    was: 'for (let count = 0; fire && count < 4 * MAX_FIRES_A_DAY; count++, fire = nextFire(schedule, fire)) fires.push(fire);',
    becomes:
      'for (let count = 0; fire && count <= 4 * MAX_FIRES_A_DAY; count++, fire = nextFire(schedule, fire)) fires.push(fire);',
    why: 'how far it looks ahead is a sample of no promised size',
  },
  {
    file: 'packages/core/src/schedule/calendar/occurrences.ts',
    was: 'return { later: reach(step > 0, count > 0), earlier: reach(step < 0, count < 0) };',
    becomes: 'return { later: reach(step > 0, count > 0), earlier: reach(step < 1, count < 0) };',
    why: 'a step is 1 or -1',
  },
  {
    file: 'packages/core/src/plan/occurrences.ts',
    was: 'for (let at = from; at && at <= question.now && misfired < most && looked < MAX_OCCURRENCES; looked++) {',
    becomes:
      'for (let at = from; at && at <= question.now && misfired <= most && looked < MAX_OCCURRENCES; looked++) {',
    why: 'one more than all that are caught up: of none older does any run either way',
  },
  {
    file: 'packages/core/src/plan/occurrences.ts',
    was: 'while (at && at.getTime() <= until && fires.length < MAX_OCCURRENCES) {',
    becomes: 'while (at && at.getTime() <= until && fires.length <= MAX_OCCURRENCES) {',
    why: 'how many a look plans is no promise: the next look goes on behind them',
  },
  {
    file: 'packages/core/src/schedule/rrule/times.ts',
    was: 'return { next: (from) => ascending.find((at) => at >= from) ?? Number.POSITIVE_INFINITY };',
    becomes: 'return { next: (from) => (ascending.find((at) => at >= from)) };',
    why: 'the compiler refuses it; and the search answers that none is left where it is given no number',
  },
  {
    file: 'packages/core/src/schedule/day-times.ts',
    was: 'if (from < 30) {',
    becomes: 'if (from <= 30) {',
    why: 'the low half has bits 0 to 29: from 30 on there is none, and the high half is looked at from its first',
  },
  {
    file: 'packages/core/src/schedule/shared.ts',
    was: 'if (!this.alive.get(name)?.deref()) this.alive.delete(name);',
    becomes: 'if (!(!this.alive.get(name)?.deref())) this.alive.delete(name);',
    why: 'a cache: an equal value is made once more, after the collector came by',
  },
  {
    file: 'packages/core/src/schedule/cron/pattern.ts',
    was: 'for (let year = 2000; year < 2400; year++) if (comesIn(pattern, year)) return true;',
    becomes: 'for (let year = 2000; year < 2401; year++) if (comesIn(pattern, year)) return true;',
    why: 'the calendar comes again after 400 years',
  },
  {
    file: 'packages/core/src/schedule/cron/local.ts',
    was: 'return years.find((candidate) => candidate >= year) ?? Number.POSITIVE_INFINITY;',
    becomes: 'return (years.find((candidate) => candidate >= year));',
    why: 'a loop ends at undefined as it does at infinity',
  },
  {
    file: 'packages/core/src/schedule/zoned.ts',
    was: 'if (seenAgain || natural < segment.end) return segment.end;',
    becomes: 'if (seenAgain || natural <= segment.end) return segment.end;',
    why: 'at the end of the segment both ways give that end',
  },
  {
    file: 'packages/scheduler/src/reconciler/lost-runs.ts',
    was: 'return [...forsaken, ...silent.filter(({ silentMs }) => silentMs >= deadMs)].slice(0, limit);',
    becomes: 'return [...forsaken, ...silent.filter(({ silentMs }) => silentMs > deadMs)].slice(0, limit);',
    why: 'a silence is measured by the clock of the server, in fractions of a millisecond',
  },
  {
    file: 'packages/queue/src/lease/lease-scripts.ts',
    was: "else args.push(command.op, command.owner, command.reservation ?? '');",
    becomes: 'else args.push(command.op, command.owner, (command.reservation));',
    why: 'the client of Redis sends undefined as an empty text',
  },
  {
    file: 'prisma/functions/place_code_tasks.sql',
    was: "WHERE t.namespace = p_namespace AND t.deleted_at IS NULL AND t.definition#>>'{handler,type}' = 'code'",
    becomes: 'WHERE t.namespace = p_namespace AND t.deleted_at IS NULL',
    why: 'of all handlers code alone has a name, by which it is found among those of the deployment',
  },
  {
    file: 'prisma/functions/forget_next.sql',
    was: "WHERE r.task_id = p_task AND r.scheduled_for > now() AND r.origin = 'chain' AND r.ordinal = -1 AND r.attempt = 0",
    becomes: 'WHERE r.task_id = p_task AND r.scheduled_for > now() AND r.ordinal = -1 AND r.attempt = 0',
    why: 'the run that another one has decided to be the next of its task alone has the ordinal -1, and its origin is that',
  },
  {
    file: 'prisma/functions/roll_up_stale.sql',
    was: 'DELETE FROM task_hour_stale s WHERE s.namespace = p_namespace',
    becomes: 'DELETE FROM task_hour_stale s WHERE true',
    why: 'the ids that it names are those of the namespace, and an id is of one row',
  },
  {
    file: 'packages/scheduler/src/reconciler/queue-blocks.ts',
    was: 'for (const [job, { atMs: then }] of seen) if (seen.size > REMEMBERED || atMs - then > FORGET_MS) seen.delete(job);',
    becomes:
      'for (const [job, { atMs: then }] of seen) if (seen.size >= REMEMBERED || atMs - then > FORGET_MS) seen.delete(job);',
    why: 'a bound of memory: one job of 10,000 is forgotten earlier',
  },
  {
    file: 'packages/core/src/schedule/zone.ts',
    was: 'this.buckets.set(bucket, segments);',
    becomes: ';',
    why: 'a cache: the same is worked out again',
  },
  {
    file: 'prisma/functions/finish_replaced.sql',
    was: "WHERE w.namespace = p_namespace AND w.key = p_key AND w.phase = 'waiting' AND w.overlap = ANY (overlap_policies('replacing'))",
    becomes: "WHERE true AND w.key = p_key AND w.phase = 'waiting' AND w.overlap = ANY (overlap_policies('replacing'))",
    why: 'finish_runs leaves runs of another namespace alone',
  },
  {
    file: 'prisma/functions/make_children.sql',
    was: 'CASE WHEN t.rate_key IS NOT NULL THEN rate_key_of(t.rate_key, i.item) END',
    becomes: 'CASE WHEN true THEN rate_key_of(t.rate_key, i.item) END',
    why: 'of no key the rate key is none',
  },
  {
    file: 'prisma/functions/pause_failing.sql',
    was: "WHERE r.task_id = v_task.id AND r.phase = s.phase AND r.phase IN ('failed', 'timed_out', 'quarantined') AND r.scheduled_for >= v_since",
    becomes: 'WHERE r.task_id = v_task.id AND r.phase = s.phase AND r.scheduled_for >= v_since',
    why: 'the phases asked for are these; they stand there for the index',
  },
  {
    file: 'prisma/functions/rate_reserve.sql',
    was: 'AND w.rate_key <> ALL (v_rates) AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run;',
    becomes: 'AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run;',
    why: 'the row that is deleted is made anew, with the same content',
  },
  {
    file: 'prisma/functions/take_item.sql',
    was: "PERFORM FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND r.state = 'running' FOR NO KEY UPDATE;",
    becomes:
      "PERFORM FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = 'running' FOR NO KEY UPDATE;",
    why: 'run_is_current asks it again',
  },
  {
    file: 'prisma/functions/take_item.sql',
    was: "PERFORM FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND r.state = 'running' FOR NO KEY UPDATE;",
    becomes:
      'PERFORM FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace FOR NO KEY UPDATE;',
    why: 'run_is_current asks it again',
  },
  {
    file: 'prisma/functions/take_item.sql',
    was: 'UPDATE run r SET takes = true WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND NOT r.takes;',
    becomes: 'UPDATE run r SET takes = true WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for ;',
    why: 'it saves a write of the same',
  },
  {
    file: 'prisma/functions/wait_run.sql',
    was: 'WHERE v_replaces AND s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id IS NOT NULL',
    becomes: 'WHERE v_replaces AND s.namespace = v_run.namespace AND s.key = v_run.key',
    why: 'the join leaves out what is null',
  },
  {
    file: 'prisma/functions/wait_run.sql',
    was: "IF v_run.attempt = 0 AND v_run.overlap = ANY (overlap_policies('ordered')) THEN",
    becomes: 'IF v_run.attempt = 0 THEN',
    why: 'under other policies nobody is ahead',
  },
  {
    file: 'prisma/functions/wait_run.sql',
    was: 'WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id <> v_run.id',
    becomes: 'WHERE true AND s.key = v_run.key AND s.run_id <> v_run.id',
    why: 'only holders of this key are among the runs that are locked',
  },
  {
    file: 'prisma/functions/wait_run.sql',
    was: 'WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id <> v_run.id',
    becomes: 'WHERE s.namespace = v_run.namespace AND s.run_id <> v_run.id',
    why: 'only holders of this key are among the runs that are locked',
  },
  {
    file: 'prisma/functions/wake_rated.sql',
    was: '(SELECT w.rate_key FROM rate_wait w WHERE w.namespace = p_namespace ORDER BY w.rate_key LIMIT 1)',
    becomes: '(SELECT w.rate_key FROM rate_wait w WHERE true ORDER BY w.rate_key LIMIT 1)',
    why: 'a rate of another namespace is looked at and has no bucket here',
  },
  {
    file: 'prisma/functions/wake_rated.sql',
    was: 'WHERE w.namespace = p_namespace AND w.rate_key > l.rate_key ORDER BY w.rate_key LIMIT 1) n',
    becomes: 'WHERE true AND w.rate_key > l.rate_key ORDER BY w.rate_key LIMIT 1) n',
    why: 'a rate of another namespace is looked at and has no bucket here',
  },
  {
    file: 'prisma/functions/place_code_tasks.sql',
    was: "IF NOT EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace AND d.tasks <> '{}') THEN",
    becomes:
      "IF NOT EXISTS (SELECT FROM deployment d WHERE true AND d.namespace = p_namespace AND d.tasks <> '{}') THEN",
    why: 'it spares work: the list of tasks asks for the same deployment',
  },
  {
    file: 'prisma/functions/place_code_tasks.sql',
    was: "IF NOT EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace AND d.tasks <> '{}') THEN",
    becomes: "IF NOT EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.tasks <> '{}') THEN",
    why: 'the list of tasks asks for the namespace of the deployment again',
  },
  {
    file: 'prisma/functions/place_code_tasks.sql',
    was: "IF NOT EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace AND d.tasks <> '{}') THEN",
    becomes: 'IF NOT EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace ) THEN',
    why: 'it spares work: a deployment without tasks has none in the list either',
  },
  {
    file: 'prisma/functions/place_code_tasks.sql',
    was: "AND EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace AND d.tasks ? (t.definition#>>'{handler,name}'))",
    becomes:
      "AND EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.tasks ? (t.definition#>>'{handler,name}'))",
    why: 'the function has returned where the deployment is of another namespace',
  },
  {
    file: 'prisma/functions/rate_wait_in_line.sql',
    was: 'WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND w.namespace = p_namespace AND w.rate_key <> p_rate_key',
    becomes: 'WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND w.namespace = p_namespace',
    why: 'the row is written again by the next statement, with the same values',
  },
  {
    file: 'prisma/functions/finish_runs.sql',
    was: 'WHERE t.namespace = n.namespace AND t.key = w.key',
    becomes: 'WHERE true AND t.key = w.key',
    why: 'all that a call ends is of its one namespace',
  },
  {
    file: 'prisma/functions/rerun_runs.sql',
    was: "CASE WHEN t.rate_key IS NOT NULL THEN rate_key_of(t.rate_key, coalesce(r.payload, t.definition->'payload')) END, r.own_key",
    becomes: "CASE WHEN true THEN rate_key_of(t.rate_key, coalesce(r.payload, t.definition->'payload')) END, r.own_key",
    why: 'of no template the rate key is null',
  },
  {
    file: 'prisma/functions/learn_durations.sql',
    was: 'SELECT p.task_id, max(p.runs)::integer AS runs, min(p.bucket) FILTER (WHERE p.upto >= 0.5 * p.runs) AS p50,',
    becomes:
      'SELECT p.task_id, min(p.runs)::integer AS runs, min(p.bucket) FILTER (WHERE p.upto >= 0.5 * p.runs) AS p50,',
    why: 'all rows of a task have the same sum',
  },
  {
    file: 'prisma/functions/resolve_run.sql',
    was: 'WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND s.ordinality = 1;',
    becomes: 'WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND s.ordinality = 1;',
    why: 'finish_runs leaves runs of another namespace alone',
  },
  {
    file: 'prisma/functions/apply_effects.sql',
    was: 'WHERE i.effects IS NOT NULL AND r.id = ANY (p_applied)',
    becomes: 'WHERE true AND r.id = ANY (p_applied)',
    why: 'of null effects no key exists',
  },
  {
    file: 'prisma/functions/wake_waiting.sql',
    was: 'WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot = ANY (v_ours) AND s.awaited',
    becomes: 'WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot = ANY (v_ours)',
    why: 'it spares a write of the same',
  },
  {
    file: 'packages/store/src/calls/previous-run.ts',
    was: 'WHERE r.task_id = $6 AND r.key = $7 AND r.namespace = $5 AND r.scheduled_for <= $2 AND (r.scheduled_for, r.id) < ($2::timestamptz, $1::uuid)',
    becomes:
      'WHERE r.task_id = $6 AND r.key = $7 AND r.namespace = $5 AND (r.scheduled_for, r.id) < ($2::timestamptz, $1::uuid)',
    why: 'the comparison of both columns says the same; this one leaves out partitions',
  },
  {
    file: 'packages/store/src/calls/previous-run.ts',
    was: 'WHERE r.task_id = $6 AND r.key = $7 AND r.namespace = $5 AND r.scheduled_for <= $2 AND (r.scheduled_for, r.id) < ($2::timestamptz, $1::uuid)',
    becomes:
      'WHERE r.task_id = $6 AND r.key = $7 AND r.namespace = $5 AND r.scheduled_for <= $2 AND (r.scheduled_for, r.id) <= ($2::timestamptz, $1::uuid)',
    why: 'one more is the run that asks: it runs, so it has not finished, or the call is refused',
  },
  {
    file: 'packages/store/src/followers/outbox-entry.ts',
    was: "WHERE f.event = 'next' AND p.task_id = f.task_id AND p.run_id IS NULL",
    becomes: 'WHERE true AND p.task_id = f.task_id AND p.run_id IS NULL',
    why: 'the pause is read of a next run alone, and no other note has an instant',
  },
  {
    file: 'packages/store/src/followers/run-tree.ts',
    was: 'if (full.length === 0) return [];',
    becomes: ';',
    why: 'of no runs no children are counted: it saves a question',
  },
  {
    file: 'packages/store/src/lists/work-list.ts',
    was: 'const most = contains === undefined ? limit + 1 : MOST_LOOKED_THROUGH;',
    becomes: 'const most = contains === undefined ? limit + 2 : MOST_LOOKED_THROUGH;',
    why: 'one more than the page tells that there are more, and so do two',
  },
  {
    file: 'packages/store/src/keys/read-keys.ts',
    was: "WHERE r.namespace = $1 AND r.key = $2 AND r.phase = 'live' AND r.state = 'running' AND r.slot IS NULL ORDER BY r.scheduled_for, r.id LIMIT $3)",
    becomes:
      "WHERE r.namespace = $1 AND r.key = $2 AND r.state = 'running' AND r.slot IS NULL ORDER BY r.scheduled_for, r.id LIMIT $3)",
    why: 'a run that is running is live: the phase is for the index',
  },
  {
    file: 'packages/store/src/batches/advance-batch.ts',
    was: 'return row?.ended ?? false;',
    becomes: 'return row?.ended ?? true;',
    why: 'the statement always answers with a row',
  },
  {
    file: 'prisma/functions/wait_queue_ahead.sql',
    was: 'AND e.scheduled_for <= p_scheduled_for AND (e.scheduled_for, e.id) < (p_scheduled_for, p_run)',
    becomes: 'AND (e.scheduled_for, e.id) < (p_scheduled_for, p_run)',
    why: 'the comparison of both columns says the same; this one leaves out partitions',
  },
  {
    file: 'prisma/functions/wait_queue_ahead.sql',
    was: 'AND e.scheduled_for >= p_scheduled_for AND (e.scheduled_for, e.id) > (p_scheduled_for, p_run)',
    becomes: 'AND (e.scheduled_for, e.id) > (p_scheduled_for, p_run)',
    why: 'the comparison of both columns says the same; this one leaves out partitions',
  },
  {
    file: 'prisma/functions/rate_opens_at.sql',
    was: 'WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key AND w.run_id <> p_run',
    becomes: 'WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key',
    why: 'the run itself has nothing reserved here: the condition around it has asked',
  },
  {
    file: 'prisma/functions/rate_opens_at.sql',
    was: "AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run AND w.woken_at > v_now - reservation()) THEN",
    becomes:
      "AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run AND w.woken_at >= v_now - reservation()) THEN",
    why: 'the clock of the server goes by microseconds',
  },
  {
    file: 'prisma/functions/rate_opens_at.sql',
    was: "AND w.woken_at > v_now - reservation() AND r.state = 'queued';",
    becomes: "AND w.woken_at >= v_now - reservation() AND r.state = 'queued';",
    why: 'the clock of the server goes by microseconds',
  },
  {
    file: 'prisma/functions/rate_opens_at.sql',
    was: 'RETURN CASE WHEN v_opens > v_now THEN v_opens WHEN v_behind THEN v_now END;',
    becomes: 'RETURN CASE WHEN v_opens >= v_now THEN v_opens WHEN v_behind THEN v_now END;',
    why: 'the clock of the server goes by microseconds',
  },
  {
    file: 'packages/store/src/runs/what-run-has.ts',
    was: 'return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: false };',
    becomes: 'return row ?? { attempts: true, marks: false, audit: false, batches: false, followers: false };',
    why: 'a statement without FROM answers with one row',
  },
  {
    file: 'packages/store/src/runs/what-run-has.ts',
    was: 'return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: false };',
    becomes: 'return row ?? { attempts: false, marks: true, audit: false, batches: false, followers: false };',
    why: 'a statement without FROM answers with one row',
  },
  {
    file: 'packages/store/src/runs/what-run-has.ts',
    was: 'return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: false };',
    becomes: 'return row ?? { attempts: false, marks: false, audit: true, batches: false, followers: false };',
    why: 'a statement without FROM answers with one row',
  },
  {
    file: 'packages/store/src/runs/what-run-has.ts',
    was: 'return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: false };',
    becomes: 'return row ?? { attempts: false, marks: false, audit: false, batches: true, followers: false };',
    why: 'a statement without FROM answers with one row',
  },
  {
    file: 'packages/store/src/runs/what-run-has.ts',
    was: 'return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: false };',
    becomes: 'return row ?? { attempts: false, marks: false, audit: false, batches: false, followers: true };',
    why: 'a statement without FROM answers with one row',
  },
  {
    file: 'packages/store/src/runs/lost-runs.ts',
    was: 'SELECT lost.*, (SELECT count(*) FROM attempt a WHERE lost.attempt > 1 AND a.run_id = lost.id',
    becomes: 'SELECT lost.*, (SELECT count(*) FROM attempt a WHERE true AND a.run_id = lost.id',
    why: 'a run at its first attempt has no row of an earlier one: the condition spares the look',
  },
  {
    file: 'packages/store/src/runs/lost-runs.ts',
    was: 'SELECT lost.*, (SELECT count(*) FROM attempt a WHERE lost.attempt > 1 AND a.run_id = lost.id',
    becomes: 'SELECT lost.*, (SELECT count(*) FROM attempt a WHERE lost.attempt >= 1 AND a.run_id = lost.id',
    why: 'a run at its first attempt has no row of an earlier one: the condition spares the look',
  },
  {
    file: 'packages/store/src/runs/lost-runs.ts',
    was: "WHERE r.phase = 'live' AND r.state = 'running' AND r.namespace = $1 AND r.due_at <= now() AND r.due_at >= $4",
    becomes: "WHERE true AND r.state = 'running' AND r.namespace = $1 AND r.due_at <= now() AND r.due_at >= $4",
    why: 'a run that is running is live: the phase is for the index',
  },
  {
    file: 'packages/store/src/runs/misfired-runs.ts',
    was: "WHERE r.namespace = $1 AND r.phase = 'live' AND r.state = 'queued' AND r.due_at <= now() AND r.due_at >= $3 AND ${IS_LEFT_TO_CATCH_UP}",
    becomes:
      "WHERE r.namespace = $1 AND r.state = 'queued' AND r.due_at <= now() AND r.due_at >= $3 AND ${IS_LEFT_TO_CATCH_UP}",
    why: 'a run that is queued is live: the phase is for the index',
  },
  {
    file: 'packages/store/src/runs/misfired-runs.ts',
    was: "EXISTS (SELECT FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for > s.last AND n.scheduled_for <= now() AND ${OF_ITS_WORKER('n')}",
    becomes:
      "EXISTS (SELECT FROM run n WHERE n.task_id = s.task_id AND n.scheduled_for >= s.last AND n.scheduled_for <= now() AND ${OF_ITS_WORKER('n')}",
    why: 'the one occurrence of that instant and worker is the misfired run itself, which is left out as such',
  },
  {
    file: 'packages/store/src/runs/trigger-run.ts',
    was: 'return row?.found ?? false;',
    becomes: 'return row?.found ?? true;',
    why: 'a statement without FROM answers with one row',
  },
  {
    file: 'packages/store/src/runs/list-runs.ts',
    was: 'return row?.few ?? false;',
    becomes: 'return row?.few ?? true;',
    why: 'a count answers with one row',
  },
  {
    file: 'packages/store/src/runs/list-runs.ts',
    was: 'const all = `SELECT FROM run r WHERE ${idsBetween(filter, values)} ORDER BY r.id DESC LIMIT ${WALKED}`;',
    becomes: 'const all = `SELECT FROM run r WHERE ${idsBetween(filter, values)} ORDER BY r.id ASC LIMIT ${WALKED}`;',
    why: 'they are only counted',
  },
  {
    file: 'packages/store/src/runs/looked-back-to.ts',
    was: 'SELECT min(l.scheduled_for) AS at FROM (${text}) l GROUP BY l.share_of HAVING count(*) >= ${share} AND $2::integer > 0) cut`,',
    becomes:
      'SELECT min(l.scheduled_for) AS at FROM (${text}) l GROUP BY l.share_of HAVING count(*) >= ${share} AND $2::integer >= 0) cut`,',
    why: 'a limit is at least 1; the condition only names the parameter',
  },
  {
    file: 'packages/store/src/runs/wait-run.ts',
    was: 'const ends = requests.length > 0 ? await whyNotBegun(db, requests) : new Map<string, BeginResult>();',
    becomes: 'const ends = requests.length >= 0 ? await whyNotBegun(db, requests) : new Map<string, BeginResult>();',
    why: 'of no requests the answer is an empty map as well: one statement more',
  },
  {
    file: 'packages/store/src/tasks/due-tasks.ts',
    was: "export const CALENDARS_OF_TASK = `CASE WHEN t.rules ? 'calendars' THEN (",
    becomes: 'export const CALENDARS_OF_TASK = `CASE WHEN true THEN (',
    why: 'without the rule `calendars` the inner list of names is empty, and its aggregate null',
  },
  {
    file: 'packages/store/src/tasks/due-tasks.ts',
    was: 'const MAY_BE_PAUSED = `(EXISTS (SELECT FROM fleet_freeze WHERE namespace = $1) OR EXISTS (SELECT FROM task_pause WHERE task_id = t.id))`;',
    becomes:
      'const MAY_BE_PAUSED = `(EXISTS (SELECT FROM fleet_freeze WHERE true) OR EXISTS (SELECT FROM task_pause WHERE task_id = t.id))`;',
    why: 'it saves a look: the aggregate inside compares the namespace itself, and is null where there is nothing',
  },
  {
    file: 'packages/store/src/tasks/due-tasks.ts',
    was: 'const MAY_BE_PAUSED = `(EXISTS (SELECT FROM fleet_freeze WHERE namespace = $1) OR EXISTS (SELECT FROM task_pause WHERE task_id = t.id))`;',
    becomes:
      'const MAY_BE_PAUSED = `(EXISTS (SELECT FROM fleet_freeze WHERE namespace = $1) OR EXISTS (SELECT FROM task_pause WHERE true))`;',
    why: 'it saves a look: the aggregate inside compares the task itself, and is null where there is nothing',
  },
  {
    file: 'packages/store/src/tasks/due-tasks.ts',
    was: "CASE WHEN ${MAY_BE_PAUSED} THEN (SELECT jsonb_agg(jsonb_build_object('from_at', p.from_at, 'until_at', p.until_at, 'note', p.note, 'frozen', p.frozen) ORDER BY p.frozen DESC) FROM (",
    becomes:
      "CASE WHEN true THEN (SELECT jsonb_agg(jsonb_build_object('from_at', p.from_at, 'until_at', p.until_at, 'note', p.note, 'frozen', p.frozen) ORDER BY p.frozen DESC) FROM (",
    why: 'it saves a look: the aggregate inside is null where there is neither pause nor freeze',
  },
  {
    file: 'packages/store/src/tasks/due-tasks.ts',
    was: 'CASE WHEN plan.next_run_at < t.effective_at + ${MADE_AHEAD} THEN (SELECT jsonb_agg(k.scheduled_for) FROM (${TAKEN}) k) END AS taken,',
    becomes: 'CASE WHEN true THEN (SELECT jsonb_agg(k.scheduled_for) FROM (${TAKEN}) k) END AS taken,',
    why: 'it saves a look: from there on no row is in [next_run_at, effective_at + 1 h), and the aggregate of none is null',
  },
  {
    file: 'packages/store/src/tasks/due-tasks.ts',
    was: 'CASE WHEN plan.next_run_at < t.effective_at + ${MADE_AHEAD} THEN (SELECT jsonb_agg(k.scheduled_for) FROM (${TAKEN}) k) END AS taken,',
    becomes:
      'CASE WHEN plan.next_run_at <= t.effective_at + ${MADE_AHEAD} THEN (SELECT jsonb_agg(k.scheduled_for) FROM (${TAKEN}) k) END AS taken,',
    why: 'at that instant no row is in [next_run_at, effective_at + 1 h), and the aggregate of none is null',
  },
  {
    file: 'packages/store/src/tasks/pause-task.ts',
    was: 'SELECT forget_next(task_id, $3) FROM (SELECT DISTINCT task_id FROM open WHERE run_id IS NOT NULL) o',
    becomes: 'SELECT forget_next(task_id, $3) FROM (SELECT task_id FROM open WHERE run_id IS NOT NULL) o',
    why: 'forget_next a second time for a task changes nothing that the first has not',
  },
  {
    file: 'packages/store/src/tasks/read-task.ts',
    was: 'return asked && (!scheduled || asked < scheduled) ? asked : scheduled;',
    becomes: 'return asked && (!scheduled || asked <= scheduled) ? asked : scheduled;',
    why: 'the same instant either way',
  },
  {
    file: 'packages/store/src/tasks/task-state.ts',
    was: "const rows = await query(db.pool, drops ? 'drop_task_state' : 'set_task_state', EDIT(drops), [",
    becomes: "const rows = await query(db.pool, !(drops) ? 'drop_task_state' : 'set_task_state', EDIT(drops), [",
    why: 'the two names of prepared statements change places: each still has one text',
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: "`task_page_${order}_${way}${labels ? '_labels' : ''}${rare?.name ?? ''}`,",
    becomes: "`task_page_${order}_${way}${!(labels) ? '_labels' : ''}${rare?.name ?? ''}`,",
    why: 'names of prepared statements change places: each still has one text',
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: 'const PAUSED_OR_FAILING = `SELECT p.task_id FROM task_pause p WHERE p.until_at IS NULL OR p.until_at > now()',
    becomes: 'const PAUSED_OR_FAILING = `SELECT p.task_id FROM task_pause p WHERE true OR p.until_at > now()',
    why: 'a superset that saves a look: the state itself is compared as well',
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: 'UNION ALL SELECT e.task_id FROM task_plan e WHERE e.namespace = $1 AND e.plan_error IS NOT NULL`;',
    becomes: 'UNION ALL SELECT e.task_id FROM task_plan e WHERE true AND e.plan_error IS NOT NULL`;',
    why: "the task's own namespace is compared in the same statement",
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: 'UNION ALL SELECT e.task_id FROM task_plan e WHERE e.namespace = $1 AND e.plan_error IS NOT NULL`;',
    becomes: 'UNION ALL SELECT e.task_id FROM task_plan e WHERE e.namespace = $1 `;',
    why: 'a superset that saves a look: the state itself is compared as well',
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: 'WHERE plan.namespace = $1 AND ${bounds} AND plan.next_run_at IS NOT NULL',
    becomes: 'WHERE true AND ${bounds} AND plan.next_run_at IS NOT NULL',
    why: 'a plan has the namespace of its task, which is among the bounds: it is there for the index',
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: 'WHERE (SELECT count(*) FROM due) < $9 AND ${bounds} AND plan.next_run_at IS NULL',
    becomes: 'WHERE true AND ${bounds} AND plan.next_run_at IS NULL',
    why: 'it saves a look: tasks that are never due come behind a page that is full already',
  },
  {
    file: 'packages/store/src/tasks/task-page.ts',
    was: 'WHERE (SELECT count(*) FROM due) < $9 AND ${bounds} AND plan.next_run_at IS NULL',
    becomes: 'WHERE (SELECT count(*) FROM due) <= $9 AND ${bounds} AND plan.next_run_at IS NULL',
    why: 'it saves a look: tasks that are never due come behind a page that is full already',
  },
  {
    file: 'packages/store/src/tasks/task-stats.ts',
    was: "`SELECT r.task_id FROM run r, span s WHERE r.namespace = $1 AND r.phase = '${phase}' AND r.scheduled_for >= s.since`,",
    becomes:
      "`SELECT r.task_id FROM run r, span s WHERE true AND r.phase = '${phase}' AND r.scheduled_for >= s.since`,",
    why: 'a run has the namespace of its task, by which the counts are joined: it is there for the index',
  },
  {
    file: 'packages/store/src/tasks/save-task.ts',
    was: 'FROM ${from} WHERE v.task_id = s.id AND v.version <= ${last} AND (v.ended_at IS NULL OR v.ended_at > ${at})`;',
    becomes: 'FROM ${from} WHERE v.task_id = s.id AND (v.ended_at IS NULL OR v.ended_at > ${at})`;',
    why: 'a task has no version later than its own; the one that is made by the same statement is not seen by it',
  },
  {
    file: 'packages/store/src/tasks/save-task.ts',
    was: 'FROM ${from} WHERE v.task_id = s.id AND v.version <= ${last} AND (v.ended_at IS NULL OR v.ended_at > ${at})`;',
    becomes:
      'FROM ${from} WHERE v.task_id = s.id AND v.version <= ${last} AND (v.ended_at IS NULL OR v.ended_at >= ${at})`;',
    why: 'what ends at that very instant is given the same end: no version ends before it begins',
  },
  {
    file: 'packages/store/src/tasks/save-task.ts',
    was: "WHERE o.namespace = $1 AND o.former_names @> ARRAY[$18] AND o.former_names <> '{}' AND o.id <> s.id",
    becomes: 'WHERE o.namespace = $1 AND o.former_names @> ARRAY[$18] AND o.id <> s.id',
    why: 'what contains a name is not empty: it is there for the partial index',
  },
  {
    file: 'packages/store/src/tasks/save-task.ts',
    was: "WHERE o.namespace = $1 AND o.former_names @> ARRAY[$18] AND o.former_names <> '{}' AND o.id <> s.id",
    becomes: "WHERE o.namespace = $1 AND o.former_names @> ARRAY[$18] AND o.former_names <> '{}'",
    why: 'the former names of a task never have its present one, so the task itself is not among them',
  },
  {
    file: 'packages/scheduler/src/reconciler/lost-runs.ts',
    was: 'if (runs.length === 0) return 0;',
    becomes: ';',
    why: 'without runs nothing is written or told, and the answer is 0',
  },
  {
    file: 'packages/queue/src/lease/lease-places.ts',
    was: 'if ((redisKey.length + owner.length) * 3 <= MAX_TEXT_BYTES) return;',
    becomes: ';',
    why: 'a short cut: the bytes are counted below',
  },
  {
    file: 'packages/queue/src/lease/lease-places.ts',
    was: 'if ((redisKey.length + owner.length) * 3 <= MAX_TEXT_BYTES) return;',
    becomes: 'if ((redisKey.length + owner.length) * 3 < MAX_TEXT_BYTES) return;',
    why: 'a short cut: the bytes are counted below',
  },
  {
    file: 'packages/queue/src/lease/lease-table.ts',
    was: 'const RECORD_BYTES = MAX_TEXT_BYTES + 4;',
    becomes: 'const RECORD_BYTES = MAX_TEXT_BYTES + 5;',
    why: 'each record gets a byte that nobody reads',
  },
  {
    file: 'packages/queue/src/lease/lease-table.ts',
    was: 'const capacity = Math.floor((memory.byteLength - HEADER_BYTES) / (2 * WORD_BYTES + RECORD_BYTES));',
    becomes: 'const capacity = Math.floor((memory.byteLength + HEADER_BYTES) / (2 * WORD_BYTES + RECORD_BYTES));',
    why: 'twice the header is shorter than one place, and is rounded away',
  },
  {
    file: 'packages/queue/src/lease/lease-list.ts',
    was: 'if (!place || value === null || expiresInMs < 0) return undefined;',
    becomes: 'if (!place || value === null || expiresInMs <= 0) return undefined;',
    why: 'a lease that ends in this millisecond has ended when the answer arrives',
  },
  {
    file: 'packages/queue/src/lease/lease-list.ts',
    was: 'if (!place || value === null || expiresInMs < 0) return undefined;',
    becomes: 'if (!place || value === null || expiresInMs < 1) return undefined;',
    why: 'a lease that ends in this millisecond has ended when the answer arrives',
  },
  {
    file: 'packages/core/src/schedule/rrule/times.ts',
    was: 'if (without.size === 0) return local;',
    becomes: ';',
    why: 'it spares a look: nothing is in an empty set',
  },
  {
    file: 'packages/core/src/schedule/rrule/search.ts',
    was: 'while (budget.steps > 0) {',
    becomes: 'while (budget.steps >= 0) {',
    why: 'one turn more, for which no step is left: it finds nothing',
  },
];

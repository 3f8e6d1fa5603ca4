import { ids, type Link, planned, type Shape, statement } from './shape.ts';

const WORKER = 'worker-1';

/** One row for a run, with its slot and the plan of its task beside it: six versions of rows. */
export function sixWrites(link: Link): Shape {
  return {
    name: 'six row versions',
    async prepare() {
      await link.query(SIX_TABLES);
      await link.query(
        `INSERT INTO six_run SELECT h.id, h.task_id, h.at, 'succeeded', h.key, '${WORKER}', 1, h.at, h.at FROM shape_history h ORDER BY h.id`,
      );
      await link.query('INSERT INTO six_slot SELECT DISTINCT h.key, 1, 0 FROM shape_history h');
      await link.query('INSERT INTO six_plan SELECT DISTINCT h.task_id, 0, now() FROM shape_history h');
    },
    steps: [
      statement(link, { step: 'plan', name: 'six_plan', text: SIX_PLAN, values: planned }),
      statement(link, { step: 'begin', name: 'six_begin', text: SIX_BEGIN, values: (runs) => [ids(runs), WORKER] }),
      statement(link, { step: 'end', name: 'six_end', text: SIX_END, values: (runs) => [ids(runs)] }),
    ],
  };
}

const SIX_TABLES = `
CREATE TABLE six_run (id uuid PRIMARY KEY, task_id uuid NOT NULL, at timestamptz NOT NULL, state text NOT NULL, key text NOT NULL,
  worker text, fence bigint, started_at timestamptz, finished_at timestamptz) WITH (fillfactor = 60);
CREATE UNIQUE INDEX ON six_run (task_id, at);
CREATE INDEX ON six_run (at, id) WHERE finished_at IS NULL;
CREATE INDEX ON six_run (key, at, id) WHERE finished_at IS NOT NULL;
CREATE TABLE six_slot (key text, slot integer, fence bigint NOT NULL, run_id uuid, PRIMARY KEY (key, slot)) WITH (fillfactor = 60);
CREATE TABLE six_plan (task_id uuid PRIMARY KEY, seq integer NOT NULL, next_at timestamptz) WITH (fillfactor = 80);
CREATE INDEX ON six_plan (next_at)`;

const SIX_PLAN = `
WITH moved AS (
  UPDATE six_plan p SET seq = p.seq + 1, next_at = i.at FROM unnest($2::uuid[], $3::timestamptz[]) AS i(task_id, at)
  WHERE p.task_id = ANY (ARRAY[i.task_id])
)
INSERT INTO six_run (id, task_id, at, state, key)
SELECT i.id, i.task_id, i.at, 'queued', i.key FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) AS i(id, task_id, at, key)
ON CONFLICT DO NOTHING`;

const SIX_BEGIN = `
WITH locked AS MATERIALIZED (
  SELECT r.id, r.key FROM unnest($1::uuid[]) AS i(id) JOIN six_run r ON r.id = ANY (ARRAY[i.id])
  WHERE r.state = 'queued' ORDER BY r.key FOR UPDATE OF r
), taken AS (
  UPDATE six_slot s SET fence = s.fence + 1, run_id = l.id FROM locked l WHERE s.key = l.key AND s.slot = 1 AND s.run_id IS NULL
  RETURNING s.run_id, s.fence
)
UPDATE six_run r SET state = 'running', worker = $2, fence = t.fence, started_at = clock_timestamp()
FROM taken t WHERE r.id = ANY (ARRAY[t.run_id]) RETURNING r.id`;

const SIX_END = `
WITH locked AS MATERIALIZED (
  SELECT r.id, r.key, r.fence FROM unnest($1::uuid[]) AS i(id) JOIN six_run r ON r.id = ANY (ARRAY[i.id])
  WHERE r.state = 'running' ORDER BY r.key FOR UPDATE OF r
), freed AS (
  UPDATE six_slot s SET run_id = NULL FROM locked l WHERE s.key = l.key AND s.slot = 1 AND s.run_id = l.id AND s.fence = l.fence
  RETURNING l.id
)
UPDATE six_run r SET state = 'succeeded', finished_at = clock_timestamp() FROM freed f WHERE r.id = ANY (ARRAY[f.id]) RETURNING r.id`;

/** A narrow row while a run is open, and one insert into the ledger when it ends. Nothing keeps two runs of a key apart. */
export function openAndLedger(link: Link): Shape {
  return {
    name: 'open',
    async prepare() {
      await link.query(OPEN_TABLES);
      await link.query(
        `INSERT INTO open_ended SELECT h.id, h.task_id, h.at, h.key, 'succeeded', '${WORKER}', 1, h.at, h.at FROM shape_history h ORDER BY h.id`,
      );
    },
    steps: [
      statement(link, { step: 'plan', name: 'open_plan', text: OPEN_PLAN, values: planned }),
      statement(link, { step: 'begin', name: 'open_begin', text: OPEN_BEGIN, values: (runs) => [ids(runs), WORKER] }),
      statement(link, { step: 'end', name: 'open_end', text: OPEN_END, values: (runs) => [ids(runs)] }),
    ],
  };
}

const OPEN_TABLES = `
CREATE TABLE open_now (id uuid PRIMARY KEY, task_id uuid NOT NULL, at timestamptz NOT NULL, key text NOT NULL, state text NOT NULL,
  worker text, fence bigint, started_at timestamptz) WITH (fillfactor = 60);
CREATE UNIQUE INDEX ON open_now (task_id, at);
CREATE TABLE open_ended (id uuid PRIMARY KEY, task_id uuid NOT NULL, at timestamptz NOT NULL, key text NOT NULL, state text NOT NULL,
  worker text, fence bigint, started_at timestamptz, finished_at timestamptz);
CREATE UNIQUE INDEX ON open_ended (task_id, at);
CREATE INDEX ON open_ended (key, at, id)`;

const OPEN_PLAN = `
INSERT INTO open_now (id, task_id, at, key, state)
SELECT i.id, i.task_id, i.at, i.key, 'queued' FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) AS i(id, task_id, at, key)
ON CONFLICT DO NOTHING`;

const OPEN_BEGIN = `
UPDATE open_now r SET state = 'running', worker = $2, fence = coalesce(r.fence, 0) + 1, started_at = clock_timestamp()
FROM unnest($1::uuid[]) AS i(id) WHERE r.id = ANY (ARRAY[i.id]) AND r.state = 'queued' RETURNING r.id`;

const OPEN_END = `
WITH gone AS (
  DELETE FROM open_now r USING unnest($1::uuid[]) AS i(id) WHERE r.id = ANY (ARRAY[i.id]) AND r.state = 'running' RETURNING r.*
)
INSERT INTO open_ended SELECT g.id, g.task_id, g.at, g.key, 'succeeded', g.worker, g.fence, g.started_at, clock_timestamp() FROM gone g`;

/** Plan, begin and end are each a row that never changes. */
export function events(link: Link): Shape {
  const add = (step: 'begin' | 'end', text: string, values: (runs: Parameters<typeof ids>[0]) => unknown[]) =>
    statement(link, { step, name: `event_${step}`, text, values });
  return {
    name: 'events',
    async prepare() {
      await link.query(EVENT_TABLES);
      await link.query('INSERT INTO event_plan SELECT h.id, h.task_id, h.at, h.key FROM shape_history h ORDER BY h.id');
      await link.query(`INSERT INTO event_begin SELECT h.id, '${WORKER}', 1, h.at FROM shape_history h ORDER BY h.id`);
      await link.query(`INSERT INTO event_end SELECT h.id, 'succeeded', h.at FROM shape_history h ORDER BY h.id`);
    },
    steps: [
      statement(link, { step: 'plan', name: 'event_plan', text: EVENT_PLAN, values: planned }),
      add('begin', EVENT_BEGIN, (runs) => [ids(runs), WORKER]),
      add('end', EVENT_END, (runs) => [ids(runs)]),
    ],
  };
}

const EVENT_TABLES = `
CREATE TABLE event_plan (id uuid PRIMARY KEY, task_id uuid NOT NULL, at timestamptz NOT NULL, key text NOT NULL);
CREATE UNIQUE INDEX ON event_plan (task_id, at);
CREATE TABLE event_begin (id uuid PRIMARY KEY, worker text, fence bigint, started_at timestamptz);
CREATE TABLE event_end (id uuid PRIMARY KEY, state text, finished_at timestamptz)`;

const EVENT_PLAN = `
INSERT INTO event_plan SELECT i.id, i.task_id, i.at, i.key
FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) AS i(id, task_id, at, key) ON CONFLICT DO NOTHING`;

const EVENT_BEGIN = `
INSERT INTO event_begin SELECT i.id, $2, 1, clock_timestamp() FROM unnest($1::uuid[]) AS i(id) ON CONFLICT DO NOTHING`;

const EVENT_END = `
INSERT INTO event_end SELECT i.id, 'succeeded', clock_timestamp() FROM unnest($1::uuid[]) AS i(id) ON CONFLICT DO NOTHING`;

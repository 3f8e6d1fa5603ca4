-- Learns how long the runs of tasks take from the roll-ups, p_hour being the last one: of 7 days, and of 90 where those have fewer than 20 runs.
-- A task of which 20 runs are known is looked at once a day, at an hour of its own, so that not all of them are read at once; one of
-- which fewer are known, after each hour in which it ran. Of a task without runs in that time it stays as it was.
CREATE OR REPLACE FUNCTION "learn_durations"(p_tasks uuid[], p_hour timestamptz) RETURNS void LANGUAGE sql AS $$
  WITH asked AS MATERIALIZED (
    SELECT p.task_id FROM unnest(p_tasks) AS p(task_id) LEFT JOIN task_duration d ON d.task_id = p.task_id
    WHERE CASE WHEN d.runs >= 20 THEN get_byte(uuid_send(p.task_id), 15) % 24 = extract(hour FROM p_hour AT TIME ZONE 'UTC')
      ELSE EXISTS (SELECT FROM task_hour h WHERE h.task_id = p.task_id AND h.hour = p_hour AND h.took <> '{}') END
  ), recent AS MATERIALIZED (
    SELECT a.task_id, one.key::integer AS bucket, sum(one.value::integer) AS runs
    FROM asked a JOIN task_hour h ON h.task_id = a.task_id AND h.hour > p_hour - interval '7 days' AND h.hour <= p_hour
    CROSS JOIN LATERAL jsonb_each_text(h.took) one GROUP BY 1, 2
  ), few AS (
    SELECT a.task_id FROM asked a LEFT JOIN recent r ON r.task_id = a.task_id GROUP BY 1 HAVING coalesce(sum(r.runs), 0) < 20
  ), older AS (
    SELECT f.task_id, one.key::integer AS bucket, sum(one.value::integer) AS runs
    FROM few f JOIN task_hour h ON h.task_id = f.task_id AND h.hour > p_hour - interval '90 days' AND h.hour <= p_hour - interval '7 days'
    CROSS JOIN LATERAL jsonb_each_text(h.took) one GROUP BY 1, 2
  ), passed AS (
    SELECT b.task_id, b.bucket, sum(sum(b.runs)) OVER (PARTITION BY b.task_id ORDER BY b.bucket) AS upto, sum(sum(b.runs)) OVER (PARTITION BY b.task_id) AS runs
    FROM (SELECT * FROM recent UNION ALL SELECT * FROM older) b GROUP BY 1, 2
  )
  INSERT INTO task_duration AS d (task_id, runs, p50_ms, p95_ms)
  SELECT q.task_id, q.runs, duration_of(q.p50), duration_of(q.p95) FROM (
    -- Equivalent mutant (extreme, max): all rows of a task have the same sum.
    SELECT p.task_id, max(p.runs)::integer AS runs, min(p.bucket) FILTER (WHERE p.upto >= 0.5 * p.runs) AS p50,
      min(p.bucket) FILTER (WHERE p.upto >= 0.95 * p.runs) AS p95
    FROM passed p GROUP BY 1
  ) q ORDER BY q.task_id
  ON CONFLICT (task_id) DO UPDATE SET runs = excluded.runs, p50_ms = excluded.p50_ms, p95_ms = excluded.p95_ms, learned_at = now()
$$;

import { expect, test } from 'vitest';
import { DOORS, startCanary } from './canary/fleet.ts';
import { formsOfWord } from './canary/places.ts';

// A canary that never sang proves nothing: without the masker each door lets the secret out.
test('without the masker the secret gets out by every door', async () => {
  const canary = await startCanary([
    { module: 'packages/core/src/mask/masker.ts', find: String.raw`patterns\.length === 0`, replace: 'true' },
  ]);
  const silent = await Promise.all(
    DOORS.map(async ({ kind, door }) => {
      const { id, open } = await canary.put(kind, door);
      const { rows } = await canary.db.pool.query<{ text: string }>(
        `SELECT concat_ws(' ', r::text,
           (SELECT string_agg(l.text, '' ORDER BY l.seq) FROM run_log_chunk l WHERE l.run_id = r.id),
           (SELECT string_agg(s::text, '') FROM task_state s WHERE s.key = r.key),
           (SELECT string_agg(f::text, '') FROM followers_outbox f WHERE f.run_id = r.id),
           (SELECT string_agg(c::text, '') FROM run c WHERE c.cause_run_id = r.id),
           (SELECT string_agg(w::text, '') FROM work_item w WHERE w::text LIKE '%' || $2 || '%'),
           (SELECT string_agg(b::text, '') FROM batch b WHERE b.run_id = r.id),
           (SELECT string_agg(p::text, '') FROM batch_page p JOIN batch b ON b.id = p.batch_id WHERE b.run_id = r.id)) AS text
         FROM run r WHERE r.id = $1`,
        [id, open],
      );
      const text = rows[0]?.text ?? '';
      return formsOfWord(canary.secret).some((form) => text.includes(form)) ? [] : [`${kind}: ${door}`];
    }),
  );
  expect(silent.flat()).toEqual([]);
});

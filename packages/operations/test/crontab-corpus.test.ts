import { systemClock } from '@escapement/core';
import { listTasks, openDatabase } from '@escapement/store';
import { afterFile, by, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import crontabs from '../../formats/test/corpora/crontabs.json' with { type: 'json' };
import { importCrontab } from '../src/index.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'crontab test' });
afterFile(() => db.close());

const SOME = ['c010', 'c026', 'c065', 'c077', 'c113', 'c121', 'c137', 'c148'];

test('real crontabs are imported as they stand, and again without a change', async () => {
  for (const { id, system, lines } of crontabs.filter((file) => SOME.includes(file.id))) {
    const text = `${lines.map((line) => line.text).join('\n')}\n`;
    const given = { text, name: id, system, prune: false, timeZone: 'UTC', timeZoneFrom: 'system' } as const;
    const action = { by: by('root'), now: systemClock.now() };
    const first = await importCrontab(db, given, action);
    const tasks = await listTasks(db, { source: `crontab:${id}` });
    expect(first.counts).toMatchObject({ create: tasks.length, refused: 0 });
    const again = await importCrontab(db, given, action);
    expect(again.counts).toMatchObject({ create: 0, update: 0, removed: 0 });
  }
});

import { type Database, forecastDigest, listCalendars, pausesAhead, poolCapacity } from '@escapement/store';
import { type ForecastView, forecastView } from './forecast-view.ts';
import { type ForecastAsked, readForecast } from './read-forecast.ts';
import { type RowsAhead, type RowsAsked, rowsAhead } from './rows-ahead.ts';
import { createVersionedCache, type VersionedCache } from './versioned-cache.ts';

/** Answers that are kept: each is some 10 KB, at most some 500 KB. */
const KEPT = 20;

/** Throws as `readForecast`. */
export type ForecastCache = VersionedCache<Database, ForecastAsked, ForecastView>;

/** Throws as `rowsAhead`. */
export type RowsAheadCache = VersionedCache<Database, RowsAsked, RowsAhead>;

export function createForecastCache(read = readForecast): ForecastCache {
  return createVersionedCache({
    kept: KEPT,
    nameOf: ({ namespace }, asked) => [namespace, asked],
    versionOf: async (db, asked) => await Promise.all([versionOfTasks(db, asked), capacityOf(db, asked)]),
    make: async (db, asked) => {
      const { load: _, ...found } = await read(db, asked);
      return forecastView(found);
    },
  });
}

export function createRowsAheadCache(read = rowsAhead): RowsAheadCache {
  return createVersionedCache({
    kept: KEPT,
    nameOf: ({ namespace }, asked) => [namespace, asked],
    versionOf: versionOfTasks,
    make: read,
  });
}

/** By a digest: it hardly matters how many tasks there are. */
async function versionOfTasks(db: Database, asked: Pick<ForecastAsked, 'pool' | 'labels'>): Promise<unknown> {
  return await Promise.all([forecastDigest(db, asked), listCalendars(db), pausesAhead(db)]);
}

async function capacityOf(db: Database, asked: ForecastAsked): Promise<unknown> {
  return [...(await poolCapacity(db, asked))].sort();
}

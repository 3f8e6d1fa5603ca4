import { createHash } from 'node:crypto';
import { type Database, forecastDigest, listCalendars, pausesAhead, poolCapacity } from '@escapement/store';
import { type ForecastView, forecastView } from './forecast-view.ts';
import { type ForecastAsked, readForecast } from './read-forecast.ts';

/** Answers that are kept: each is some 10 KB, at most some 500 KB. */
const KEPT = 20;

/** Forecasts that were made, kept as long as nothing has changed that they were made from. */
export interface ForecastCache {
  /** As `readForecast`, and throws as that. Asked twice at once, it is made once. */
  read(db: Database, asked: ForecastAsked): Promise<ForecastView>;
}

/**
 * Whether something has changed is asked of Postgres each time, by a digest of all that a forecast reads: so an answer is as right as a new
 * one, whichever process gives it, and whoever has changed something.
 */
export function createForecastCache(read = readForecast): ForecastCache {
  const made = new Map<string, Promise<ForecastView>>();

  async function make(db: Database, asked: ForecastAsked): Promise<ForecastView> {
    const { load: _, ...found } = await read(db, asked);
    return forecastView(found);
  }

  return {
    async read(db, asked) {
      const place = keyOf(db, asked, await versionOf(db, asked));
      const known = made.get(place);
      const answer = known ?? make(db, asked);
      // The last used is the last to go.
      made.delete(place);
      made.set(place, answer);
      try {
        const view = await answer;
        // What changed while it was made may be in it, in part.
        if (!known && keyOf(db, asked, await versionOf(db, asked)) !== place) made.delete(place);
        return view;
      } catch (error) {
        made.delete(place);
        throw error;
      } finally {
        const [oldest] = made.keys();
        if (made.size > KEPT && oldest !== undefined) made.delete(oldest);
      }
    },
  };
}

/** All that a forecast is made from, but for what is asked. */
async function versionOf(db: Database, asked: ForecastAsked): Promise<unknown> {
  return await Promise.all([forecastDigest(db, asked), listCalendars(db), pausesAhead(db), capacityOf(db, asked)]);
}

async function capacityOf(db: Database, asked: ForecastAsked): Promise<unknown> {
  return [...(await poolCapacity(db, asked))].sort();
}

function keyOf({ namespace }: Database, asked: ForecastAsked, version: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([namespace, asked, version]))
    .digest('base64url');
}

import { bulkAction, MINUTE, SECOND } from '@escapement/core';
import { carryOutChunk } from '@escapement/operations';
import { answerRequest, type Database, takeRequests } from '@escapement/store';

const TAKER = 'scheduler';

/** What a scheduler does about bulk actions. They ask nothing of Redis. */
export async function carryOutRequests(db: Database): Promise<void> {
  const taking = { taker: TAKER, goneMs: 2 * MINUTE, chunkGoneMs: 15 * SECOND, limit: 10 };
  for (const taken of await takeRequests(db, taking)) {
    const answer = await carryOutChunk(db, bulkAction.parse(taken.request), taken, TAKER);
    if (answer && answer !== 'later') await answerRequest(db, taken.id, TAKER, { answer });
  }
}

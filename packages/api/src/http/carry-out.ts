import { permitReading, seesPayloads } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { shownTo } from './answer.ts';
import type { Parts, RequestContext, Route, TextAnswer } from './route.ts';

/**
 * Carries out a request: reads it, asks whether whoever asks may see what it shows, and answers, without what they may not see. A
 * refusal is noted in the audit of `primary`. Throws `ProblemError`, `not_allowed`, and what the route throws.
 */
export async function carryOut(
  route: Route,
  parts: Parts,
  context: RequestContext,
  primary: Database = context.db,
): Promise<{ json: unknown } | TextAnswer> {
  const { db } = context;
  const opened = route.open(parts, context);
  const by = context.by();
  await permitReading(primary, by, await opened.reading());
  const answer = await opened.handle();
  if (typeof route.answer === 'string') return answer as TextAnswer;
  return { json: shownTo(answer, route.withoutPayloads === true || seesPayloads(by, db.namespace)) };
}

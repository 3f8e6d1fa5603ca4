import { actionOf, type Json, processPrincipal } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import type { Database } from '@escapement/store';

/** Starts a task that is told of alerts, with the message as its payload. It may come twice: the message has an id. */
export async function triggerReceiverTask(db: Database, task: string, payload: Json): Promise<void> {
  await triggerTask(db, task, { by: actionOf(processPrincipal('scheduler'), 'it is told of alerts'), payload });
}

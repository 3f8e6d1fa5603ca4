import type { By } from '@escapement/core';
import { judgeRight, type LabelSelector, namespaceObject, type Right } from '@escapement/core/rights';
import type { Database } from '@escapement/store';
import { seesSome } from './labels-seen.ts';
import { permitInNamespace, permitOnRun, permitOnTask, permitOnTasks } from './permit.ts';

/** What somebody asks to be shown: a right, and on what. */
export interface Reading {
  right: Right;
  /** Null: on all of the namespace. `some`: what is not for whoever asks is left out (`labelsSeen`). */
  of:
    | { task: string }
    | { run: string }
    | { labels: LabelSelector }
    | { names: readonly string[]; labels?: LabelSelector | undefined }
    | 'some'
    | null;
}

/** Asks for what somebody is to be shown; null: nothing but what an act gives back. Throws `not_allowed`. */
export async function permitReading(db: Database, by: By, reading: Reading | null): Promise<void> {
  if (!reading) return;
  const { right, of } = reading;
  const action = 'look';
  if (of === 'some' && seesSome(db, by)) return;
  if (of === null || of === 'some') {
    const subject = { namespace: db.namespace };
    await permitInNamespace(db, by, right, { action, subject, what: `all of the namespace ${db.namespace}` });
  } else if ('run' in of) await permitOnRun(db, by, right, { id: of.run, action });
  else if ('labels' in of || 'names' in of)
    await permitOnTasks(db, by, right, { ...of, action, subject: { namespace: db.namespace } });
  else await permitOnTask(db, by, right, { name: of.task, action });
}

/** Whether payloads, outputs and progress may be shown: only to whom each of its grants shows them. */
export function seesPayloads({ grants }: By, namespace: string): boolean {
  if (grants === 'all') return true;
  const everything = namespaceObject(namespace);
  return grants.every((grant) => judgeRight([{ ...grant, selector: null }], 'read-payload', everything).allowed);
}

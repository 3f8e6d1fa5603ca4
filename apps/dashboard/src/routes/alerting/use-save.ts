import { useState } from 'react';
import { useSaveAlerting } from '../../actions/alerts.ts';
import { ApiProblem } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import type { Said } from '../../parts/reason-field.tsx';
import type { Draft } from '../edit/draft.ts';
import type { Saved } from './answer.ts';
import type { Document, InForce } from './document.ts';
import { revealed } from './hidden.ts';

/** Why it is not saved. */
export type Outcome =
  | { kind: 'failed'; error: unknown }
  | { kind: 'hidden'; places: readonly string[] }
  | { kind: 'conflict'; theirs: InForce };

/** Saves a change of the document that one began with. What is hidden in it is read for this alone, and is kept nowhere. */
export function useSave({ base, onSaved }: { base: InForce; onSaved: (saved: Saved) => void }) {
  const { mutateAsync } = useSaveAlerting();
  const [isPending, setIsPending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  const put = async (draft: Draft, said: Said): Promise<Saved | Outcome> => {
    const real = await request('get', '/v1/alerting', {});
    if (real.version !== base.version) return await conflict();
    const { document, unknown } = revealed(draft, { shown: base.definition, real: real.definition });
    if (unknown.length > 0) return { kind: 'hidden', places: unknown };
    try {
      return await mutateAsync({
        query: said,
        // Whether it is one the server says, and what is wrong with it.
        body: document as Document,
        headers: { 'if-match': `"${base.version}"` },
      });
    } catch (error) {
      if (error instanceof ApiProblem && ['version_changed', 'save_races'].includes(error.problem.code))
        return await conflict();
      throw error;
    }
  };

  const save = async (draft: Draft, said: Said): Promise<void> => {
    setIsPending(true);
    setOutcome(null);
    try {
      const answer = await put(draft, said);
      if ('version' in answer) onSaved(answer);
      else setOutcome(answer);
    } catch (error) {
      setOutcome({ kind: 'failed', error });
    } finally {
      setIsPending(false);
    }
  };
  return { save, isPending, outcome, reset: () => setOutcome(null) };
}

async function conflict(): Promise<Outcome> {
  return { kind: 'conflict', theirs: await request('get', '/v1/alert-rules', {}) };
}

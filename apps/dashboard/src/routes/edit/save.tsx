import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useCreateTask, usePatchTask } from '../../actions/tasks.ts';
import { get } from '../../api/get.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Given } from '../../api/request.ts';
import { nowMs } from '../../clock.ts';
import { toTask } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { ReasonField, type Said, saidOf } from '../../parts/reason-field.tsx';
import { Submit } from '../../parts/submit.tsx';
import { words } from '../../words/index.ts';
import { Conflict } from './conflict.tsx';
import { type Draft, textAt } from './draft.ts';
import styles from './screen.module.css';
import { type Base, baseOf, bodyOf, type Previewed, type TaskPreview } from './use-preview.ts';

const { edit: text, common } = words;
/** A fire so near passes while it is saved, and then the next one is another. */
const NEAR_MS = 10_000;

interface SaveProps {
  base: Base | null;
  draft: Draft | undefined;
  preview: Previewed;
  /** What others have saved is what is changed from now on. */
  onRebase: (theirs: Base) => void;
  onSaved: () => void;
}

/** Saves what was previewed, and nothing else: where it would do something else by now, it says so. */
export function Save({ base, draft, preview, onRebase, onSaved }: SaveProps) {
  const [reason, setReason] = useState('');
  const { save, isPending, error, reset } = useSave({ base, draft, preview: preview.query.data, onSaved });
  const [failed, setFailed] = useState<unknown>(null);
  const queries = useQueryClient();
  const mayEdit = useMay('edit');
  const whyNot = whyNotSave({ mayEdit, draft, preview });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (whyNot === null) save(saidOf(reason));
  };
  const onAgain = async () => {
    reset();
    setFailed(null);
    try {
      if (base)
        onRebase(
          baseOf(await queries.fetchQuery({ ...get('/v1/tasks/{id}', { path: { id: base.id } }), staleTime: 0 })),
        );
      await preview.query.refetch();
    } catch (away) {
      setFailed(away);
    }
  };
  return (
    <Panel title={base ? text.save : text.create}>
      <form className={styles.fields} onSubmit={onSubmit}>
        <ReasonField reason={reason} onReason={setReason} />
        {isConflict(error) ? (
          <Conflict problem={error.problem} onAgain={() => void onAgain()} />
        ) : error || failed ? (
          <ProblemNote error={error ?? failed} />
        ) : null}
        <Submit words={base ? text.save : text.create} isPending={isPending} whyNot={whyNot} />
      </form>
    </Panel>
  );
}

type Asked = Pick<SaveProps, 'draft' | 'preview'> & { mayEdit: boolean };

function whyNotSave({ mayEdit, draft, preview: { query, isCurrent } }: Asked): string | null {
  const { data, error } = query;
  if (!mayEdit) return common.notAllowed('edit');
  if (draft !== undefined && textAt(draft, 'name') === '') return text.previewEmpty;
  if (draft === undefined || error) return text.notYet;
  if (!data || !isCurrent) return text.looking;
  return data.effect.action === 'unchanged' ? text.nothing : null;
}

function isConflict(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && ['preview_outdated', 'version_changed'].includes(error.problem.code);
}

interface Saving extends Pick<SaveProps, 'base' | 'draft' | 'onSaved'> {
  preview: TaskPreview | undefined;
}

function useSave({ base, draft, preview, onSaved }: Saving) {
  const navigate = useNavigate();
  const patch = usePatchTask();
  const create = useCreateTask();
  const onSuccess = ({ id }: { id: string }) => {
    onSaved();
    void navigate(toTask(id));
  };
  const save = (said: Said) => {
    if (!draft || !preview) return;
    const next = nextOf(preview);
    const { basis } = preview.effect;
    const query = { ...(next === undefined ? {} : { next }), ...(basis === null ? {} : { basis }), ...said };
    if (base)
      patch.mutate(
        {
          path: { id: base.id },
          query,
          body: bodyOf(base.definition, draft),
          // Of what one has edited, not of what there is by now: else nobody would be told of the difference.
          headers: { 'if-match': `"${base.version}"` },
        },
        { onSuccess },
      );
    // What was previewed is a definition: the server has said so.
    else create.mutate({ query, body: draft as Given<'post', '/v1/tasks'>['body'] }, { onSuccess });
  };
  const { isPending, error, reset } = base ? patch : create;
  return { save, isPending, error, reset };
}

/** What the first fire must be; undefined: it is not asked for. */
function nextOf({ effect: { next, schedule } }: TaskPreview): string | undefined {
  // So long after it is saved: another instant each time.
  if (schedule === 'fixed-delay') return undefined;
  if (next === null) return 'none';
  return Date.parse(next) > nowMs() + NEAR_MS ? next : undefined;
}

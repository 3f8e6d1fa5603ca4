import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useCreateTask } from '../../acts/create-task.ts';
import { usePatchTask } from '../../acts/patch-task.ts';
import { get } from '../../api/get.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Given } from '../../api/request.ts';
import { nowMs } from '../../clock.ts';
import { toTask } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import { Conflict } from './conflict.tsx';
import { type Draft, edited, editsOf } from './draft.ts';
import styles from './screen.module.css';
import { type Base, bodyOf, type Previewed, type TaskPreview } from './use-preview.ts';

const { edit: text, common } = words;
/** A fire so near passes while it is saved, and then the next one is another. */
const NEAR_MS = 10_000;

interface SaveProps {
  base: Base | null;
  draft: Draft | undefined;
  preview: Previewed;
  onRebase: (next: { base: Base; draft: Draft }) => void;
}

/** Saves what was previewed, and nothing else: where it would do something else by now, it says so. */
export function Save({ base, draft, preview, onRebase }: SaveProps) {
  const [reason, setReason] = useState('');
  const { save, isPending, error } = useSave(base, draft, preview.query.data);
  const queries = useQueryClient();
  const mayEdit = useMay('edit');
  const whyNot = whyNotSave({ mayEdit, draft, preview });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (whyNot === null) save(reason.trim());
  };
  const onAgain = async () => {
    if (!base || !draft) return;
    const { definition, name, source } = await queries.fetchQuery({
      ...get('/v1/tasks/{id}', { path: { id: base.id } }),
      staleTime: 0,
    });
    const theirs = { ...definition };
    onRebase({
      base: { id: base.id, name, source, definition: theirs },
      draft: edited(theirs, editsOf(base.definition, draft)),
    });
  };
  return (
    <Panel title={base ? text.save : text.create}>
      <form className={styles.fields} onSubmit={onSubmit}>
        <Textarea
          label={text.reason}
          description={common.reasonHint}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={1000}
          rows={2}
        />
        {isConflict(error) ? (
          <Conflict problem={error.problem} onAgain={() => void onAgain()} />
        ) : error ? (
          <ProblemNote error={error} />
        ) : null}
        {whyNot === null ? null : <p className="quiet">{whyNot}</p>}
        <div>
          <Button
            type="submit"
            loading={isPending}
            aria-disabled={whyNot !== null}
            {...(whyNot === null ? {} : { 'data-disabled': true })}
          >
            {base ? text.save : text.create}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

type Asked = Pick<SaveProps, 'draft' | 'preview'> & { mayEdit: boolean };

function whyNotSave({ mayEdit, draft, preview: { query, isCurrent } }: Asked): string | null {
  const { data, error } = query;
  if (!mayEdit) return common.notAllowed('edit');
  if (draft === undefined || error) return text.notYet;
  if (!data || !isCurrent) return text.looking;
  return data.effect.action === 'unchanged' ? text.nothing : null;
}

function isConflict(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && ['preview_outdated', 'version_changed'].includes(error.problem.code);
}

function useSave(base: Base | null, draft: Draft | undefined, preview: TaskPreview | undefined) {
  const navigate = useNavigate();
  const patch = usePatchTask();
  const create = useCreateTask();
  const onSuccess = ({ id }: { id: string }) => void navigate(toTask(id));
  const save = (reason: string) => {
    if (!draft || !preview) return;
    const next = nextOf(preview);
    const query = { ...(next === undefined ? {} : { next }), ...(reason === '' ? {} : { reason }) };
    if (base)
      patch.mutate(
        {
          path: { id: base.id },
          query,
          body: bodyOf(base.definition, draft),
          headers: { 'if-match': `"${preview.version}"` },
        },
        { onSuccess },
      );
    // What was previewed is a definition: the server has said so.
    else create.mutate({ query, body: draft as Given<'post', '/v1/tasks'>['body'] }, { onSuccess });
  };
  return { save, isPending: patch.isPending || create.isPending, error: base ? patch.error : create.error };
}

function nextOf({ effect: { next } }: TaskPreview): string | undefined {
  if (next === null) return 'none';
  return Date.parse(next) > nowMs() + NEAR_MS ? next : undefined;
}

import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useSaveCalendar } from '../../actions/calendars.ts';
import type { Given } from '../../api/request.ts';
import { toCalendar } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { ReasonField, saidOf } from '../../parts/reason-field.tsx';
import { Submit } from '../../parts/submit.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from '../edit/draft.ts';
import styles from './screen.module.css';
import type { CalendarPreviewed } from './use-calendar-preview.ts';

const { calendars: text, common } = words;

interface SaveProps {
  name: string;
  draft: Draft | undefined;
  isNew: boolean;
  /** The version that one has seen, 0: none. Another is not replaced. */
  replaces: number;
  isChanged: boolean;
  preview: CalendarPreviewed;
  onSaved: () => void;
}

/** Saves what was previewed. */
export function Save({ name, draft, isNew, replaces, isChanged, preview, onSaved }: SaveProps) {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useSaveCalendar();
  const navigate = useNavigate();
  const mayEdit = useMayAll('edit');
  const whyNot = mayEdit ? whyNotSave({ name, draft, isChanged, preview }) : common.notAllowedForAll('edit');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (whyNot !== null || isPending) return;
    const onSuccess = () => {
      onSaved();
      void navigate(toCalendar(name));
    };
    // What was previewed is a calendar: the server has said so.
    const body = draft as Given<'put', '/v1/calendars/{name}'>['body'];
    const headers = { 'if-match': `"${replaces}"` };
    mutate({ path: { name }, query: saidOf(reason), body, headers }, { onSuccess });
  };
  return (
    <Panel title={isNew ? text.create : text.save}>
      <form className={styles.fields} onSubmit={onSubmit}>
        <p className="quiet">{text.saving}</p>
        <ReasonField reason={reason} onReason={setReason} />
        {error ? <ProblemNote error={error} /> : null}
        <Submit words={isNew ? text.create : text.save} isPending={isPending} whyNot={whyNot} />
      </form>
    </Panel>
  );
}

type Asked = Pick<SaveProps, 'name' | 'draft' | 'isChanged' | 'preview'>;

function whyNotSave({ name, draft, isChanged, preview: { query, isCurrent } }: Asked): string | null {
  if (name === '') return text.nameFirst;
  if (draft === undefined || query.error) return text.notYet;
  if (!isChanged) return text.nothing;
  return isCurrent ? null : text.looking;
}

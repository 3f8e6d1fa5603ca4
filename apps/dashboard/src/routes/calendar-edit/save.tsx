import { Button, Textarea } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useSaveCalendar } from '../../acts/save-calendar.ts';
import type { Given } from '../../api/request.ts';
import { toCalendar } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from '../edit/draft.ts';
import styles from './screen.module.css';
import type { CalendarPreviewed } from './use-calendar-preview.ts';

const { calendars: text, common } = words;

interface SaveProps {
  name: string;
  draft: Draft | undefined;
  isNew: boolean;
  isChanged: boolean;
  preview: CalendarPreviewed;
  onSaved: () => void;
}

/** Saves what was previewed. */
export function Save({ name, draft, isNew, isChanged, preview, onSaved }: SaveProps) {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useSaveCalendar();
  const navigate = useNavigate();
  const mayEdit = useMayAll('edit');
  const whyNot = mayEdit ? whyNotSave({ name, draft, isChanged, preview }) : common.notAllowedForAll('edit');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (whyNot !== null || isPending) return;
    const said = reason.trim();
    const onSuccess = () => {
      onSaved();
      void navigate(toCalendar(name));
    };
    // What was previewed is a calendar: the server has said so.
    const body = draft as Given<'put', '/v1/calendars/{name}'>['body'];
    mutate({ path: { name }, query: said === '' ? {} : { reason: said }, body }, { onSuccess });
  };
  return (
    <Panel title={isNew ? text.create : text.save}>
      <form className={styles.fields} onSubmit={onSubmit}>
        <p className="quiet">{text.saving}</p>
        <Textarea
          label={common.reason}
          description={common.reasonHint}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={1000}
          rows={2}
        />
        {error ? <ProblemNote error={error} /> : null}
        {whyNot === null ? null : <p className="quiet">{whyNot}</p>}
        <div>
          <Button
            type="submit"
            loading={isPending}
            aria-disabled={whyNot !== null}
            {...(whyNot === null ? {} : { 'data-disabled': true })}
          >
            {isNew ? text.create : text.save}
          </Button>
        </div>
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

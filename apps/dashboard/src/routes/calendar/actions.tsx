import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteCalendar } from '../../actions/calendars.ts';
import { toCalendars, toEditCalendar } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import type { Calendar } from './answer.ts';
import styles from './screen.module.css';

const { calendars: text, common } = words;

/** What can be done to a calendar. */
export function Actions({ calendar: { name, tasks } }: { calendar: Calendar }) {
  const [isOpen, setIsOpen] = useState(false);
  const navigate = useNavigate();
  const notAllowed = useMayAll('edit') ? null : common.notAllowedForAll('edit');
  return (
    <div className={styles.acts}>
      <ActionButton words={text.edit} whyNot={notAllowed} onClick={() => void navigate(toEditCalendar(name))} />
      <ActionButton
        words={text.remove}
        whyNot={notAllowed ?? (tasks.length > 0 ? text.inUse(tasks) : null)}
        isDangerous
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <DeleteDialog name={name} onClose={() => setIsOpen(false)} /> : null}
    </div>
  );
}

function DeleteDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { mutate, isPending, error } = useDeleteCalendar();
  const navigate = useNavigate();
  return (
    <ReasonDialog
      title={text.removeTitle(name)}
      doIt={text.remove}
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { name }, query: said }, { onSuccess: () => void navigate(toCalendars()) })}
    >
      {text.removeWords}
    </ReasonDialog>
  );
}

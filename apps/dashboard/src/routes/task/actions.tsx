import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useResumeTask } from '../../actions/tasks.ts';
import { toBackfills, toEditTask } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';
import type { DialogProps } from './dialog-props.ts';
import { PauseDialog } from './pause-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';
import styles from './screen.module.css';

const { task: text, common } = words;

const DIALOGS = { run: RunDialog, pause: PauseDialog, resume: ResumeDialog };

/** What can be done to a task; each asks first, and takes a reason. */
export function Actions({ task }: { task: TaskDescription }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const mayRun = useMay('trigger');
  const mayPause = useMay('pause');
  const isPaused = task.pauses.length > 0;
  const notPause = isPaused ? text.pausedAlready : mayPause ? null : common.notAllowed('pause');
  const notResume = !isPaused ? text.notPaused : mayPause ? null : common.notAllowed('pause');
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className={styles.acts}>
      <ActionButton
        words={text.run}
        whyNot={mayRun ? null : common.notAllowed('trigger')}
        onClick={() => setOpen('run')}
      />
      <EditLink id={task.id} />
      <BackfillLink task={task} />
      <ActionButton words={text.pause} whyNot={notPause} onClick={() => setOpen('pause')} />
      <ActionButton words={text.resume} whyNot={notResume} onClick={() => setOpen('resume')} />
      {Dialog ? <Dialog task={task} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

/** Where it may not be edited, the button says so. */
function EditLink({ id }: { id: string }) {
  const navigate = useNavigate();
  const whyNot = useMay('edit') ? null : common.notAllowed('edit');
  return <ActionButton words={words.edit.edit} whyNot={whyNot} onClick={() => void navigate(toEditTask(id))} />;
}

/** Only what was due at instants of its own can be run for them. */
function BackfillLink({ task: { name, definition } }: { task: TaskDescription }) {
  const navigate = useNavigate();
  const mayRun = useMay('trigger');
  const kind = definition.schedule?.kind ?? 'manual';
  const hasNone = kind === 'manual' || kind === 'fixed-delay' ? words.backfills.noOccurrences : null;
  const isEverywhere = definition.runOn ? words.backfills.onEveryWorker : null;
  const whyNot = hasNone ?? isEverywhere ?? (mayRun ? null : common.notAllowed('trigger'));
  const go = () => void navigate(toBackfills({ start: name }));
  return <ActionButton words={words.backfills.ofTask} whyNot={whyNot} onClick={go} />;
}

function ResumeDialog({ task: { id, name }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useResumeTask();
  return (
    <ReasonDialog
      title={text.resumeTitle}
      doIt={text.doResume}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, body: said }, { onSuccess: onClose })}
    >
      {text.resumeWords(name)}
    </ReasonDialog>
  );
}

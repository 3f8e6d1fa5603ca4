import { useState } from 'react';
import { usePauseTask } from '../../acts/pause-task.ts';
import { nowMs } from '../../clock.ts';
import { type ChosenEnd, EndField } from '../../parts/end-field.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { endOf } from '../../time/ends.ts';
import { words } from '../../words/index.ts';
import type { DialogProps } from './acts.tsx';
import styles from './screen.module.css';

const { task: text } = words;

/** Asks until when; the reason is shown with every run that is skipped. */
export function PauseDialog({ task: { id, name }, onClose }: DialogProps) {
  const [chosen, setChosen] = useState<ChosenEnd>({ end: null, at: '' });
  const { mutate, isPending, error } = usePauseTask();
  const onDo = (reason: string | undefined) => {
    const untilAt = chosen.end === null ? null : endOf(chosen.end, chosen.at, nowMs());
    if (untilAt === undefined) return;
    mutate({ path: { id }, body: { untilAt, ...(reason === undefined ? {} : { reason }) } }, { onSuccess: onClose });
  };
  return (
    <ReasonDialog
      title={text.pauseTitle}
      doIt={text.doPause}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <div className={styles.asked}>
        <span>{text.pauseWords(name)}</span>
        <EndField label={text.pauseFor} never={text.pauseForever} value={chosen} onChange={setChosen} />
      </div>
    </ReasonDialog>
  );
}

import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePauseTask } from '../../acts/pause-task.ts';
import { nowMs } from '../../clock.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import type { DialogProps } from './acts.tsx';
import { PAUSE_CHOICES, type PauseChoice, pauseEnd } from './pause-end.ts';
import styles from './screen.module.css';

const { task: text } = words;

/** Asks until when; the reason is shown with every run that is skipped. */
export function PauseDialog({ task: { id, name }, onClose }: DialogProps) {
  const [choice, setChoice] = useState<PauseChoice>('never');
  const [at, setAt] = useState('');
  const { mutate, isPending, error } = usePauseTask();
  const onDo = (reason: string | undefined) => {
    const untilAt = pauseEnd(choice, at, nowMs());
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
        <Select
          label={text.pauseFor}
          data={PAUSE_CHOICES.map((value) => ({ value, label: text.pauseEnds[value] }))}
          value={choice}
          onChange={(value) => setChoice(PAUSE_CHOICES.find((each) => each === value) ?? 'never')}
          allowDeselect={false}
          withScrollArea={false}
        />
        {choice === 'at' ? (
          <TextInput
            type="datetime-local"
            label={text.pauseAt(ownZone())}
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
            required
          />
        ) : null}
      </div>
    </ReasonDialog>
  );
}

import { useState } from 'react';
import { useMuteError } from '../../acts/mute-error.ts';
import { nowMs } from '../../clock.ts';
import { type ChosenEnd, EndField } from '../../parts/end-field.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { endOf } from '../../time/ends.ts';
import { words } from '../../words/index.ts';
import type { DialogProps } from './acts.tsx';
import styles from './screen.module.css';

const { errors: text } = words;

/** Asks until when. */
export function MuteDialog({ group: { fingerprint }, onClose }: DialogProps) {
  const [chosen, setChosen] = useState<ChosenEnd>({ end: 'day', at: '' });
  const { mutate, isPending, error } = useMuteError();
  const onDo = (reason: string | undefined) => {
    const untilAt = chosen.end === null ? undefined : endOf(chosen.end, chosen.at, nowMs());
    if (untilAt === undefined) return;
    const body = { untilAt, ...(reason === undefined ? {} : { reason }) };
    mutate({ path: { fingerprint }, body }, { onSuccess: onClose });
  };
  return (
    <ReasonDialog
      title={text.muteTitle}
      doIt={text.doMute}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <div className={styles.asked}>
        <span>{text.muteWords}</span>
        <EndField label={text.muteFor} value={chosen} onChange={setChosen} />
      </div>
    </ReasonDialog>
  );
}

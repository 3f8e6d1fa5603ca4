import { useMuteError } from '../../acts/mute-error.ts';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './acts.tsx';

const { errors: text } = words;

/** Asks until when. */
export function MuteDialog({ group: { fingerprint }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useMuteError();
  return (
    <UntilDialog
      title={text.muteTitle}
      doIt={text.doMute}
      label={text.muteFor}
      usual="day"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, said) => mutate({ path: { fingerprint }, body: { untilAt, ...said } }, { onSuccess: onClose })}
    >
      <span>{text.muteWords}</span>
    </UntilDialog>
  );
}

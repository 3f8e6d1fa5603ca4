import { useMuteError, useReopenError } from '../../actions/errors.ts';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { withUndo } from '../../undo/undo.ts';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';

const { errors: text, common } = words;

/** Asks until when. */
export function MuteDialog({ group: { fingerprint, name }, onClose }: DialogProps) {
  const { mutateAsync, isPending, error } = useMuteError();
  const reopen = useReopenError();
  return (
    <UntilDialog
      title={text.muteTitle}
      doIt={text.doMute}
      label={text.muteFor}
      usual="day"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, said) =>
        void withUndo({
          action: mutateAsync({ path: { fingerprint }, body: { untilAt, ...said } }),
          done: text.muteDone(name ?? text.unnamed),
          back: () => reopen.mutateAsync({ path: { fingerprint }, body: { reason: common.undoReason } }),
          onDone: onClose,
        })
      }
    >
      <span>{text.muteWords}</span>
    </UntilDialog>
  );
}

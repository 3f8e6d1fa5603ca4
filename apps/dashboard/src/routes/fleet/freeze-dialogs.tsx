import { useFreezeFleet, useUnfreezeFleet } from '../../actions/fleet.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { UntilDialog } from '../../parts/until-dialog.tsx';
import { withUndo } from '../../undo/undo.ts';
import { words } from '../../words/index.ts';

const { fleet: text, common } = words;

interface DialogProps {
  onClose: () => void;
}

/** Pauses all tasks, or ends that. */
export default function FreezeDialogs({ which, onClose }: DialogProps & { which: 'freeze' | 'unfreeze' }) {
  return which === 'freeze' ? <FreezeDialog onClose={onClose} /> : <UnfreezeDialog onClose={onClose} />;
}

export function FreezeDialog({ onClose }: DialogProps) {
  const { mutateAsync, isPending, error } = useFreezeFleet();
  const unfreeze = useUnfreezeFleet();
  return (
    <UntilDialog
      title={text.freezeTitle}
      doIt={text.doFreeze}
      label={text.freezeFor}
      never={text.freezeForever}
      isDangerous
      needsReason
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(untilAt, { reason = '' }) =>
        void withUndo({
          action: mutateAsync({ body: { untilAt, reason } }),
          done: text.freezeDone,
          back: () => unfreeze.mutateAsync({ query: { reason: common.undoReason } }),
          onDone: onClose,
        })
      }
    >
      <span>{text.freezeWords}</span>
    </UntilDialog>
  );
}

export function UnfreezeDialog({ onClose }: DialogProps) {
  const { mutate, isPending, error } = useUnfreezeFleet();
  return (
    <ReasonDialog
      title={text.unfreezeTitle}
      doIt={text.doUnfreeze}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: said }, { onSuccess: onClose })}
    >
      {text.unfreezeWords}
    </ReasonDialog>
  );
}

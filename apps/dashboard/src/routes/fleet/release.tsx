import { useReleaseKey } from '../../actions/fleet.ts';
import type { components } from '../../api/generated/openapi.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Note } from '../../parts/note.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { words } from '../../words/index.ts';

export type Slot = components['schemas']['KeySlot'];

const { fleet: text, common } = words;

/** The button that takes a slot from its run. */
export function Release({ slot, onRelease }: { slot: Slot; onRelease: (slot: Slot) => void }) {
  const mayCancel = useMay('cancel');
  const isHeld = slot.holder !== null || slot.lease !== null;
  const whyNot = !isHeld ? text.nothingHeld : mayCancel ? null : common.notAllowed('cancel');
  return <ActionButton words={text.release} whyNot={whyNot} isDangerous onClick={() => onRelease(slot)} />;
}

const runOf = ({ holder, lease }: Slot): string | undefined => holder?.runId ?? lease?.runId;

interface ReleaseDialogProps {
  asked: Slot;
  /** As they are now. */
  slots: readonly Slot[];
  onClose: () => void;
}

/** Says what it does beside the run, which is not stopped, before it takes the slot. */
export function ReleaseDialog({ asked, slots, onClose }: ReleaseDialogProps) {
  const { mutate, isPending, error } = useReleaseKey();
  const { key, slot } = asked;
  const now = slots.find((each) => each.key === key && each.slot === slot);
  const isOther = now === undefined || runOf(now) !== runOf(asked);
  const onDo = ({ reason = '' }: Said) => {
    if (!isOther) mutate({ query: { key }, body: { slot, reason } }, { onSuccess: onClose });
  };
  return (
    <ReasonDialog
      title={text.releaseTitle(key)}
      doIt={text.doRelease}
      isDangerous
      needsReason
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <p>{text.releaseFrom(asked.holder?.taskName ?? null, runOf(asked) ?? '')}</p>
      {isOther && !isPending ? <Note tone="attention" shape="hand" title={text.releasedAlready} /> : text.releaseWords}
    </ReasonDialog>
  );
}

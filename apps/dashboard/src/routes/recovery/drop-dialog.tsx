import { useStartBulk } from '../../actions/bulk.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { useDryCount } from '../../parts/use-dry-count.ts';
import { words } from '../../words/index.ts';
import { Counted } from './counted.tsx';
import type { DialogProps } from './dialog-props.ts';
import { dropAction } from './held-action.ts';

const { recovery: text } = words;

/** Ends held runs as missed. */
export default function DropDialog({ which, onClose, onAsked }: DialogProps) {
  const action = dropAction(which);
  const dry = useDryCount(action);
  const { mutate, isPending, error } = useStartBulk();
  const total = dry.data?.total ?? 0;
  return (
    <ReasonDialog
      title={text.dropTitle(which)}
      doIt={text.doDrop}
      isDangerous
      isReady={total > 0}
      typed={total}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) =>
        mutate(
          { body: { action, ...said } },
          {
            onSuccess: ({ id }) => {
              onAsked(id);
              onClose();
            },
          },
        )
      }
    >
      <Counted of={dry}>
        <p>{text.dropWords(total)}</p>
      </Counted>
    </ReasonDialog>
  );
}

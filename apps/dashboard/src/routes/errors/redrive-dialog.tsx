import { useRedriveError } from '../../acts/redrive-error.ts';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './acts.tsx';
import { sinceOf } from './search.ts';

const { errors: text } = words;

/** Runs again what failed so in the time that is shown. */
export function RedriveDialog({ group: { fingerprint, count }, search, onClose, onRedriven }: DialogProps) {
  const { mutate, isPending, error } = useRedriveError();
  const query = { since: sinceOf(search), ...(search.task === undefined ? {} : { task: search.task }) };
  const onDo = (said: Said) =>
    mutate(
      { path: { fingerprint }, query, body: said },
      {
        onSuccess: ({ id }) => {
          onRedriven(id);
          onClose();
        },
      },
    );
  return (
    <ReasonDialog
      title={text.redriveTitle}
      doIt={text.doRedrive}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      {text.redriveWords(count)}
    </ReasonDialog>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useRedriveError } from '../../actions/errors.ts';
import { get } from '../../api/get.ts';
import { Answer } from '../../parts/answer.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import type { DialogProps } from './dialog-props.ts';
import { sinceOf } from './search.ts';

const { errors: text } = words;

/** Runs again what failed so in the time that is shown: counted first, and typed where it is much. */
export function RedriveDialog({ group: { fingerprint, count }, search, onClose, onRedriven }: DialogProps) {
  const { mutate, isPending, error } = useRedriveError();
  const query = { since: sinceOf(search), ...(search.task === undefined ? {} : { task: search.task }) };
  const asked = get('/v1/errors/{fingerprint}/redrive', { path: { fingerprint }, query });
  // What is counted now is what one decides about.
  const dry = useQuery({ ...asked, staleTime: 0, gcTime: 0 });
  const total = dry.data?.total ?? 0;
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
      isReady={total > 0}
      typed={total}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <Answer of={dry} skeleton={<Bar width="80%" />}>
        {({ total: again }) => <p>{again === 0 ? text.redriveNone : text.redriveWords(again, count)}</p>}
      </Answer>
    </ReasonDialog>
  );
}

import { Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { useStartBulk } from '../../actions/bulk.ts';

import { may, useMe } from '../../me/me.ts';
import { Answer } from '../../parts/answer.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { type Resolution, ResolutionField } from '../../parts/resolution-field.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { useDryCount } from '../../parts/use-dry-count.ts';
import { words } from '../../words/index.ts';
import { ACTIONS, type Action, bulkAction, RIGHTS } from './bulk-action.ts';

const { bulk: text } = words;

interface BulkDialogProps {
  query: string;
  onClose: () => void;
  onAsked: (id: string, action: Action) => void;
}

/** Says first to how many runs it is done; more than 100 are typed. */
export default function BulkDialog({ query, onClose, onAsked }: BulkDialogProps) {
  const me = useMe();
  const allowed = ACTIONS.filter((each) => may(me, RIGHTS[each]));
  const [action, setAct] = useState<Action>(allowed.includes('redrive') ? 'redrive' : 'cancel');
  const [as, setAs] = useState<Resolution | null>(null);
  const asked = bulkAction(action, query, as ?? 'failed');
  const dry = useDryCount(asked);
  const { mutate, isPending, error } = useStartBulk();
  const total = dry.data?.total ?? 0;
  const isResolve = action === 'resolve';
  const onDo = (said: Said) =>
    mutate(
      { body: { action: asked, ...said } },
      {
        onSuccess: ({ id }) => {
          onAsked(id, action);
          onClose();
        },
      },
    );
  return (
    <ReasonDialog
      title={text.title}
      doIt={text.doIt}
      isDangerous={action === 'cancel'}
      needsReason={isResolve}
      isReady={total > 0 && !dry.isPlaceholderData && (!isResolve || as !== null)}
      typed={total}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <Stack gap="sm">
        <p>
          {text.filter}: {query === '' ? text.allRuns : <code>{query}</code>}
        </p>
        <ActionField allowed={allowed} action={action} onAction={setAct} />
        {isResolve ? <ResolutionField as={as} onAs={setAs} /> : null}
        <Answer of={dry} skeleton={<Bar width="80%" />}>
          {() => <p>{total === 0 ? text.nothing : `${text.words[action](total)} ${text.allFound}`}</p>}
        </Answer>
      </Stack>
    </ReasonDialog>
  );
}

interface ActionFieldProps {
  allowed: readonly Action[];
  action: Action;
  onAction: (action: Action) => void;
}

function ActionField({ allowed, action, onAction }: ActionFieldProps) {
  return (
    <Select
      label={text.action}
      data={allowed.map((value) => ({ value, label: text.actions[value] }))}
      value={action}
      onChange={(value) => onAction(allowed.find((each) => each === value) ?? action)}
      allowDeselect={false}
      withScrollArea={false}
    />
  );
}

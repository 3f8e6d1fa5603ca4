import { Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { useStartBulk } from '../../acts/bulk.ts';

import { may, useMe } from '../../me/me.ts';
import { Answer } from '../../parts/answer.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { type Resolution, ResolutionField } from '../../parts/resolution-field.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { useDryCount } from '../../parts/use-dry-count.ts';
import { words } from '../../words/index.ts';
import { ACTS, type Act, bulkAct, RIGHTS } from './bulk-act.ts';

const { bulk: text } = words;

interface BulkDialogProps {
  query: string;
  onClose: () => void;
  onAsked: (id: string, act: Act) => void;
}

/** Says first to how many runs it is done; more than 100 are typed. */
export default function BulkDialog({ query, onClose, onAsked }: BulkDialogProps) {
  const me = useMe();
  const allowed = ACTS.filter((each) => may(me, RIGHTS[each]));
  const [act, setAct] = useState<Act>(allowed.includes('redrive') ? 'redrive' : 'cancel');
  const [as, setAs] = useState<Resolution | null>(null);
  const asked = bulkAct(act, query, as ?? 'failed');
  const dry = useDryCount(asked);
  const { mutate, isPending, error } = useStartBulk();
  const total = dry.data?.total ?? 0;
  const isResolve = act === 'resolve';
  const onDo = (said: Said) =>
    mutate(
      { body: { act: asked, ...said } },
      {
        onSuccess: ({ id }) => {
          onAsked(id, act);
          onClose();
        },
      },
    );
  return (
    <ReasonDialog
      title={text.title}
      doIt={text.doIt}
      isDangerous={act === 'cancel'}
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
        <ActField allowed={allowed} act={act} onAct={setAct} />
        {isResolve ? <ResolutionField as={as} onAs={setAs} /> : null}
        <Answer of={dry} skeleton={<Bar width="80%" />}>
          {() => <p>{total === 0 ? text.nothing : `${text.words[act](total)} ${text.allFound}`}</p>}
        </Answer>
      </Stack>
    </ReasonDialog>
  );
}

interface ActFieldProps {
  allowed: readonly Act[];
  act: Act;
  onAct: (act: Act) => void;
}

function ActField({ allowed, act, onAct }: ActFieldProps) {
  return (
    <Select
      label={text.act}
      data={allowed.map((value) => ({ value, label: text.acts[value] }))}
      value={act}
      onChange={(value) => onAct(allowed.find((each) => each === value) ?? act)}
      allowDeselect={false}
      withScrollArea={false}
    />
  );
}

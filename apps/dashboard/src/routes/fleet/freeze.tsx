import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Note } from '../../parts/note.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { FreezeDialog, UnfreezeDialog } from './freeze-dialogs.tsx';

const { fleet: text, common } = words;

/** No event tells that it has come to its end. */
const LOOK_MS = 10_000;
const freezeQuery = { ...get('/v1/freeze'), refetchInterval: LOOK_MS };

/** Pauses all tasks, where they are not. */
export function FreezeAction() {
  const { data } = useQuery(freezeQuery);
  return !data || data.freeze ? null : <FreezeButton />;
}

function FreezeButton() {
  const [isOpen, setIsOpen] = useState(false);
  const mayPause = useMayAll('pause');
  return (
    <>
      <ActionButton
        words={text.freeze}
        whyNot={mayPause ? null : common.notAllowedForAll('pause')}
        isDangerous
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <FreezeDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

/** Who has paused all tasks, why, and until when; nothing, where nobody has. */
export function Frozen() {
  const { data } = useQuery(freezeQuery);
  return data?.freeze ? <FreezeNote freeze={data.freeze} /> : null;
}

function FreezeNote({ freeze: { fromAt, untilAt, note, createdBy } }: { freeze: components['schemas']['Freeze'] }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayPause = useMayAll('pause');
  return (
    <Note
      tone="attention"
      shape="hand"
      title={text.frozen(createdBy)}
      actions={
        <ActionButton
          words={text.unfreeze}
          whyNot={mayPause ? null : common.notAllowedForAll('pause')}
          onClick={() => setIsOpen(true)}
        />
      }
    >
      <span>{note}</span>
      <span className="quiet">
        {text.frozenSince} <Instant at={fromAt} />,{' '}
        {untilAt === null ? (
          text.freezeForever
        ) : (
          <>
            {text.frozenUntil} <Instant at={untilAt} as="both" />
          </>
        )}
      </span>
      {isOpen ? <UnfreezeDialog onClose={() => setIsOpen(false)} /> : null}
    </Note>
  );
}

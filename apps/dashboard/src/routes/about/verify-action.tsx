import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useVerifyLedger } from '../../actions/ledger.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import { BACKS, type Back, FROM } from './backs.ts';
import styles from './screen.module.css';

const { about: text, common } = words;

/** Has a scheduler verify the ledger. */
export function VerifyAction({ isOneUnderWay }: { isOneUnderWay: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const notAllowed = useMay('read') ? null : common.notAllowed('read');
  return (
    <>
      <ActionButton
        words={text.verify}
        whyNot={notAllowed ?? (isOneUnderWay ? text.underWay : null)}
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <VerifyDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function VerifyDialog({ onClose }: { onClose: () => void }) {
  const [back, setBack] = useState<Back>('day');
  const [task, setTask] = useState('');
  const { mutate, isPending, error } = useVerifyLedger();
  const name = task.trim();
  return (
    <ReasonDialog
      title={text.verifyTitle}
      doIt={text.doVerify}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) =>
        mutate({ body: { from: FROM[back], ...(name === '' ? {} : { task: name }), ...said } }, { onSuccess: onClose })
      }
    >
      <div className={styles.fields}>
        <span>{text.verifyWords}</span>
        <Select
          label={text.back}
          data={BACKS.map((value) => ({ value, label: text.backs[value] }))}
          value={back}
          onChange={(value) => setBack(BACKS.find((each) => each === value) ?? back)}
          allowDeselect={false}
          withScrollArea={false}
        />
        <TextInput
          label={text.task}
          description={text.taskHelp}
          value={task}
          onChange={(event) => setTask(event.currentTarget.value)}
          maxLength={250}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
    </ReasonDialog>
  );
}

import { useState } from 'react';
import { useDropWorkList } from '../../actions/work-lists.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import { AddDialog } from './add-dialog.tsx';
import type { List } from './answer.ts';
import styles from './screen.module.css';

const { lists: text, common } = words;

/** What can be done to a list. */
export function Actions({ list }: { list: List }) {
  const [open, setOpen] = useState<'add' | 'drop' | null>(null);
  const notAllowed = useMayAll('write-data') ? null : common.notAllowedForAll('write-data');
  const onClose = () => setOpen(null);
  return (
    <div className={styles.acts}>
      <ActionButton words={text.add} whyNot={notAllowed} onClick={() => setOpen('add')} />
      <ActionButton
        words={text.drop}
        whyNot={notAllowed ?? (list.waiting === 0 ? text.nothingWaits : null)}
        isDangerous
        onClick={() => setOpen('drop')}
      />
      {open === 'add' ? <AddDialog list={list.name} onClose={onClose} /> : null}
      {open === 'drop' ? <DropDialog list={list} onClose={onClose} /> : null}
    </div>
  );
}

function DropDialog({ list: { name, waiting, taken }, onClose }: { list: List; onClose: () => void }) {
  const { mutate, isPending, error } = useDropWorkList();
  return (
    <ReasonDialog
      title={text.dropTitle(name)}
      doIt={text.doDrop}
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: { list: name, ...said } }, { onSuccess: onClose })}
    >
      {text.dropWords(waiting, taken)}
    </ReasonDialog>
  );
}

import { type FormEvent, useState } from 'react';
import type { useImportCrontab } from '../../actions/crontabs.ts';
import { useMay } from '../../me/me.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { ReasonField, saidOf } from '../../parts/reason-field.tsx';
import { Submit } from '../../parts/submit.tsx';
import { words } from '../../words/index.ts';
import { chosenLines } from './chosen.ts';
import styles from './screen.module.css';
import { bodyOf, type Crontab, type Previewed } from './use-crontab.ts';

const { imports: text, common } = words;

interface WriteProps {
  crontab: Crontab;
  preview: Previewed;
  left: ReadonlySet<number>;
  write: ReturnType<typeof useImportCrontab>;
}

/** Writes the lines that are chosen, and no others. */
export function Write({ crontab, preview, left, write }: WriteProps) {
  const [reason, setReason] = useState('');
  const mayEdit = useMay('edit');
  const lines = chosenLines(preview.query.data?.lines ?? [], left);
  const whyNot = whyNotWrite({ mayEdit, isCurrent: preview.isCurrent, lines });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (whyNot === null && !write.isPending) write.mutate({ body: { ...bodyOf(crontab), lines, ...saidOf(reason) } });
  };
  return (
    <Panel title={text.write}>
      <form className={styles.fields} onSubmit={onSubmit}>
        <ReasonField reason={reason} onReason={setReason} />
        {write.error ? <ProblemNote error={write.error} /> : null}
        <Submit words={text.doWrite(lines.length)} isPending={write.isPending} whyNot={whyNot} />
      </form>
    </Panel>
  );
}

function whyNotWrite(asked: { mayEdit: boolean; isCurrent: boolean; lines: readonly number[] }): string | null {
  if (!asked.mayEdit) return common.notAllowed('edit');
  if (!asked.isCurrent) return text.notYet;
  return asked.lines.length === 0 ? text.noneChosen : null;
}

import { Button, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { useImportCrontab } from '../../acts/import-crontab.ts';
import { useMay } from '../../me/me.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
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
    const said = reason.trim();
    if (whyNot === null)
      write.mutate({ body: { ...bodyOf(crontab), lines, ...(said === '' ? {} : { reason: said }) } });
  };
  return (
    <Panel title={text.write}>
      <form className={styles.fields} onSubmit={onSubmit}>
        <Textarea
          label={words.edit.reason}
          description={common.reasonHint}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={1000}
          rows={2}
        />
        {write.error ? <ProblemNote error={write.error} /> : null}
        {whyNot === null ? null : <p className="quiet">{whyNot}</p>}
        <div>
          <Button
            type="submit"
            loading={write.isPending}
            aria-disabled={whyNot !== null}
            {...(whyNot === null ? {} : { 'data-disabled': true })}
          >
            {text.doWrite(lines.length)}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function whyNotWrite(asked: { mayEdit: boolean; isCurrent: boolean; lines: readonly number[] }): string | null {
  if (!asked.mayEdit) return common.notAllowed('edit');
  if (!asked.isCurrent) return text.notYet;
  return asked.lines.length === 0 ? text.noneChosen : null;
}

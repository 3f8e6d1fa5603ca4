import { useState } from 'react';
import { useImportCrontab } from '../../actions/crontabs.ts';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import { Done } from './done.tsx';
import { Fields } from './fields.tsx';
import { Lines } from './lines.tsx';
import styles from './screen.module.css';
import { type Crontab, isGiven, type Previewed, useCrontabPreview } from './use-crontab.ts';
import { Write } from './write.tsx';

const { imports: text } = words;

/** Makes tasks of a crontab: what becomes of each line is seen, and chosen, before it is written. */
export function ImportScreen() {
  const [crontab, setCrontab] = useState<Crontab>(() => ({
    ...{ text: '', name: text.ownName, system: false, timeZone: ownZone(), pool: null },
  }));
  // By their numbers: another text has other lines.
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const preview = useCrontabPreview(crontab);
  const write = useImportCrontab();
  useUnsaved(crontab.text !== '' && !write.isSuccess);
  const onCrontab = (next: Crontab) => {
    if (next.text !== crontab.text) setLeft(new Set());
    write.reset();
    setCrontab(next);
  };
  const onChoose = (line: number, isChosen: boolean) =>
    setLeft((before) => new Set(isChosen ? [...before].filter((each) => each !== line) : [...before, line]));
  return (
    <Page title={text.title}>
      <div className={styles.parts}>
        <Fields crontab={crontab} onCrontab={onCrontab} />
        {write.data ? (
          <Done report={write.data} />
        ) : (
          <>
            <Preview crontab={crontab} preview={preview} left={left} onChoose={onChoose} />
            <Write crontab={crontab} preview={preview} left={left} write={write} />
          </>
        )}
      </div>
    </Page>
  );
}

interface PreviewProps {
  crontab: Crontab;
  preview: Previewed;
  left: ReadonlySet<number>;
  onChoose: (line: number, isChosen: boolean) => void;
}

function Preview({ crontab, preview: { query }, left, onChoose }: PreviewProps) {
  const { data, error } = query;
  if (!isGiven(crontab)) return <p className="quiet">{text.nothingYet}</p>;
  if (error) return <ProblemNote error={error} />;
  if (!data) return <SkeletonRows rows={4} />;
  return (
    <Panel title={text.lines} note={text.counts(data.counts)} flush>
      <Lines lines={data.lines} isChosen={(line) => !left.has(line)} onChoose={onChoose} />
      {data.lines.length === 0 ? <p className={styles.none}>{text.noLines}</p> : null}
      <div className={styles.notes}>
        {data.notes.map((note) => (
          <Note key={note} tone="quiet" shape="ring">
            {note}
          </Note>
        ))}
        {data.removed.length === 0 ? null : (
          <Note tone="quiet" shape="ring">
            {text.removed(data.removed.map(({ task }) => task))}
          </Note>
        )}
      </div>
    </Panel>
  );
}

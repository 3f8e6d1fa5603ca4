import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { logFile } from '../../../links.ts';
import { Empty, Note } from '../../../parts/note.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { ProblemNote } from '../../../parts/problem.tsx';
import { SkeletonRows } from '../../../parts/skeleton.tsx';
import { words } from '../../../words/index.ts';
import styles from './log.module.css';
import { LEVELS, type Level, type LogLine, nextError } from './log-lines.ts';
import { type GoTo, LogRows } from './log-rows.tsx';
import { ShownLines } from './shown-lines.ts';
import { type LogState, useLog } from './use-log.ts';

const { run: text } = words;

export interface LogView {
  filter: string;
  level: Level | null;
  wrap: boolean;
  tail: boolean;
}

/** The log of a run, live while it is open. */
export default function Log({ runId, isOpen }: { runId: string; isOpen: boolean }) {
  const log = useLog(runId, isOpen);
  const [view, setView] = useState<LogView>({ filter: '', level: null, wrap: false, tail: isOpen });
  const [goTo, setGoTo] = useState<GoTo | null>(null);
  const [kept] = useState(() => new ShownLines());
  // A letter that is typed, or a level that is chosen, stands at once; lines follow when there is time.
  const filter = useDeferredValue(view.filter);
  const level = useDeferredValue(view.level);
  const shown = kept.of(log.lines, { filter, level });
  const error = useMemo(() => nextError(shown, goTo?.at ?? -1), [shown, goTo]);
  const change = (changed: Partial<LogView>) => setView((before) => ({ ...before, ...changed }));
  const goToError = () => {
    change({ tail: false });
    setGoTo({ place: error, at: shown[error]?.at ?? -1 });
  };
  return (
    <Panel
      title={text.log}
      note={log.isLoading ? words.common.loading : text.logLines(shown.length, log.lines.length)}
      actions={
        <Button component="a" href={logFile(runId)} target="_blank" rel="noopener" size="compact-sm" variant="default">
          {text.logFile}
        </Button>
      }
      flush
    >
      {log.lines.length > 0 ? <Tools view={view} onChange={change} onGoToError={error < 0 ? null : goToError} /> : null}
      {log.error ? <ProblemNote error={log.error} /> : null}
      {log.skipped > 0 ? <Note tone="attention" shape="gap" title={text.logSkipped(log.skipped)} /> : null}
      <Content log={log} shown={shown} view={view} goTo={goTo} isOpen={isOpen} onTail={(tail) => change({ tail })} />
    </Panel>
  );
}

interface ContentProps {
  log: LogState;
  shown: readonly LogLine[];
  view: LogView;
  goTo: GoTo | null;
  isOpen: boolean;
  onTail: (tail: boolean) => void;
}

function Content({ log, shown, view, goTo, isOpen, onTail }: ContentProps) {
  if (log.isLoading && log.lines.length === 0) return <SkeletonRows rows={4} />;
  if (log.lines.length === 0) return <Empty title={isOpen ? text.logWaiting : text.logEmpty} />;
  return <LogRows lines={shown} wrap={view.wrap} tail={view.tail} goTo={goTo} onTail={onTail} />;
}

interface ToolsProps {
  view: LogView;
  onChange: (changed: Partial<LogView>) => void;
  onGoToError: (() => void) | null;
}

function Tools({ view, onChange, onGoToError }: ToolsProps) {
  return (
    <div className={styles.tools}>
      <TextInput
        className={styles.filter ?? ''}
        size="xs"
        aria-label={text.logFilter}
        placeholder={text.logFilter}
        value={view.filter}
        onChange={(event) => onChange({ filter: event.currentTarget.value })}
      />
      <Select
        size="xs"
        w={150}
        aria-label={text.logLevel}
        placeholder={text.logLevel}
        data={LEVELS.toReversed().map((level) => ({ value: level, label: text.levels[level] }))}
        value={view.level}
        onChange={(level) => onChange({ level: LEVELS.find((each) => each === level) ?? null })}
        clearable
        withScrollArea={false}
      />
      <Checkbox
        size="xs"
        label={text.logWrap}
        checked={view.wrap}
        onChange={(event) => onChange({ wrap: event.currentTarget.checked })}
      />
      <Checkbox
        size="xs"
        label={text.logTail}
        checked={view.tail}
        onChange={(event) => onChange({ tail: event.currentTarget.checked })}
      />
      {onGoToError ? (
        <Button size="compact-sm" variant="default" onClick={onGoToError}>
          {text.logToError}
        </Button>
      ) : null}
    </div>
  );
}

import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { logFile } from '../../../links.ts';
import { Empty, Note } from '../../../parts/note.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { ProblemNote } from '../../../parts/problem.tsx';
import { SkeletonRows } from '../../../parts/skeleton.tsx';
import { words } from '../../../words/index.ts';
import styles from './log.module.css';
import type { Level, LogLine } from './log-lines.ts';
import { LogRows } from './log-rows.tsx';
import { type LogState, useLog } from './use-log.ts';

const { run: text } = words;
const LEVELS: readonly Level[] = ['error', 'warn', 'info', 'debug'];

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
  const [goTo, setGoTo] = useState<number | null>(null);
  const shown = log.lines.filter((line) => isShown(line, view));
  const firstError = shown.findIndex(({ level }) => level === 'error');
  const change = (changed: Partial<LogView>) => setView({ ...view, ...changed });
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
      {log.lines.length > 0 ? (
        <Tools
          view={view}
          onChange={change}
          onGoToError={
            firstError < 0
              ? null
              : () => {
                  change({ tail: false });
                  setGoTo(firstError);
                }
          }
        />
      ) : null}
      {log.error ? <ProblemNote error={log.error} /> : null}
      {log.skipped > 0 ? <Note tone="attention" shape="gap" title={text.logSkipped(log.skipped)} /> : null}
      <Content
        log={log}
        shown={shown}
        view={view}
        goTo={goTo}
        isOpen={isOpen}
        onScrollUp={() => change({ tail: false })}
      />
    </Panel>
  );
}

interface ContentProps {
  log: LogState;
  shown: readonly LogLine[];
  view: LogView;
  goTo: number | null;
  isOpen: boolean;
  onScrollUp: () => void;
}

function Content({ log, shown, view, goTo, isOpen, onScrollUp }: ContentProps) {
  if (log.isLoading && log.lines.length === 0) return <SkeletonRows rows={4} />;
  if (log.lines.length === 0) return <Empty title={isOpen ? text.logWaiting : text.logEmpty} />;
  return <LogRows lines={shown} wrap={view.wrap} tail={view.tail} goTo={goTo} onScrollUp={onScrollUp} />;
}

function isShown({ text: line, level }: LogLine, { filter, level: wanted }: LogView): boolean {
  return (wanted === null || level === wanted) && line.toLowerCase().includes(filter.toLowerCase());
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
        w={120}
        aria-label={text.logLevel}
        placeholder={text.logLevel}
        data={LEVELS.map((level) => ({ value: level, label: text.levels[level] }))}
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

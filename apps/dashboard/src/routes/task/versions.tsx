import { Button } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { Asked } from '../../parts/answer.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';
import { Diff } from './diff.tsx';
import { Revert } from './revert.tsx';
import styles from './screen.module.css';

type Version = components['schemas']['TaskVersion'];

const { task: text } = words;
const STEP = 10;

/** Every version of a task: who saved it, why, and what it changed. */
export function Versions({ task }: { task: TaskDescription }) {
  const query = get('/v1/tasks/{id}/versions', { path: { id: task.id } });
  return (
    <Panel title={text.versions} flush>
      <Asked query={query} skeleton={<SkeletonRows rows={3} />}>
        {({ items }) => <Listed versions={items} task={task} />}
      </Asked>
    </Panel>
  );
}

function Listed({ versions, task }: { versions: readonly Version[]; task: TaskDescription }) {
  const [most, setMost] = useState(STEP);
  const left = versions.length - most;
  return (
    <>
      <ul className={styles.list}>
        {versions.slice(0, most).map((version) => (
          <One key={version.version} of={version} task={task} />
        ))}
      </ul>
      {left > 0 ? (
        <div className={styles.foot}>
          <Button size="compact-sm" variant="default" onClick={() => setMost(most + 10 * STEP)}>
            {text.moreVersions(left)}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function One({
  of: { version, savedAt, savedBy, source, note, changed },
  task,
}: {
  of: Version;
  task: TaskDescription;
}) {
  const [isOpen, setOpen] = useState(false);
  const isCurrent = version === task.version;
  return (
    <li data-row>
      <div className={styles.version}>
        <div className={styles.said}>
          <div className={styles.line}>
            <strong>{text.version(version)}</strong>
            {isCurrent ? <span className={styles.current}>{text.current}</span> : null}
            <Instant at={savedAt} as="both" />
            <span className="quiet">{text.savedBy(savedBy, source)}</span>
          </div>
          {note === null ? null : <span>{note}</span>}
          <span className="quiet">{changed === null ? text.first : text.changedParts(changed)}</span>
        </div>
        <div className={styles.acts}>
          {changed === null ? null : (
            <Button size="compact-md" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? text.hideDiff : text.showDiff}
            </Button>
          )}
          {isCurrent ? null : <Revert task={task} version={version} />}
        </div>
      </div>
      {isOpen ? <Diff id={task.id} from={version - 1} to={version} /> : null}
    </li>
  );
}

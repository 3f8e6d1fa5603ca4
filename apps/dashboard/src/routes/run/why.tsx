import { Link } from '@tanstack/react-router';
import { toRun } from '../../links.ts';
import { Facts } from '../../parts/facts.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Elapsed } from '../../time/elapsed.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';
import { CopyAs } from './copy-as.tsx';
import styles from './screen.module.css';
import { TaskLink } from './task-link.tsx';

const { run: text } = words;

/** Why a run exists, why it waits, and its facts. */
export function Why({ run }: { run: RunDescription }) {
  const { origin, requestedBy, causeRunId, rerunOf, blockedBy, heldBack, reason } = run;
  return (
    <Panel title={text.whyTitle} actions={<CopyAs run={run} />}>
      <div className={styles.why}>
        <span>{text.why[origin](requestedBy === null ? '' : text.by(requestedBy))}.</span>
        <Other words={text.causedBy} id={causeRunId} />
        <Other words={text.rerunOf} id={rerunOf} />
        <Other words={text.blockedBy} id={blockedBy} />
        {reason === null ? null : (
          <span>
            {text.fact.reason}: {reason}
          </span>
        )}
      </div>
      {heldBack === null ? null : (
        <Note tone="attention" shape="hand" title={`${text.heldBack}: ${heldBack.reason}`}>
          {heldBack.advice}
        </Note>
      )}
      <RunFacts run={run} />
    </Panel>
  );
}

function Other({ words: before, id }: { words: string; id: string | null }) {
  if (id === null) return null;
  return (
    <span>
      {before}{' '}
      <Link {...toRun(id)}>
        <code>{id}</code>
      </Link>
    </span>
  );
}

function RunFacts({ run }: { run: RunDescription }) {
  const { fact } = text;
  const {
    id,
    taskName,
    scheduledFor,
    dueAt,
    startedAt,
    finishedAt,
    worker,
    key,
    ownKey,
    pool,
    taskVersion,
    attempt,
    fence,
    exitCode,
  } = run;
  return (
    <Facts
      of={[
        [fact.task, <TaskLink key="task" name={taskName} />],
        [fact.scheduledFor, <Instant key="at" at={scheduledFor} as="both" />],
        [fact.dueAt, dueAt === scheduledFor ? null : <Instant key="at" at={dueAt} />],
        [fact.startedAt, startedAt && <Instant key="at" at={startedAt} />],
        [fact.finishedAt, finishedAt && <Instant key="at" at={finishedAt} />],
        [finishedAt ? fact.took : fact.running, startedAt && <Elapsed key="for" from={startedAt} to={finishedAt} />],
        [fact.attempt, attempt || null],
        [fact.worker, worker],
        [ownKey ? fact.ownKey : fact.key, key],
        [fact.pool, pool],
        [fact.version, taskVersion],
        [fact.fence, fence],
        [fact.exitCode, exitCode],
        [fact.id, <code key="id">{id}</code>],
      ]}
    />
  );
}

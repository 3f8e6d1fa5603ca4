import { Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toRun } from '../../links.ts';
import { Asked } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { RunStateMark } from '../../parts/state.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { type Branch, branches } from './branches.ts';
import styles from './screen.module.css';

type TreeRun = components['schemas']['TreeRun'];

/** All runs that go back to the same first cause, as a tree. */
export function Followed({ runId }: { runId: string }) {
  return (
    <Panel title={words.run.followed} flush>
      <Asked query={get('/v1/runs/{id}/tree', { path: { id: runId } })} skeleton={<SkeletonRows rows={2} />}>
        {({ runs }) =>
          runs.length <= 1 ? (
            <Empty title={words.run.nothingFollowed} />
          ) : (
            <ul className={styles.list}>
              {branches(runs).map((branch) => (
                <Line key={branch.run.id} branch={branch} isThis={branch.run.id === runId} />
              ))}
            </ul>
          )
        }
      </Asked>
    </Panel>
  );
}

const INDENT = 18;

function Line({ branch: { run, depth }, isThis }: { branch: Branch<TreeRun>; isThis: boolean }) {
  const { id, taskName, state, startedAt } = run;
  return (
    <li aria-current={isThis || undefined}>
      <div className={styles.line} style={{ paddingLeft: depth * INDENT }}>
        {isThis ? <strong>{taskName}</strong> : <Link {...toRun(id)}>{taskName}</Link>}
        <RunStateMark state={state} />
        {startedAt === null ? null : <Instant at={startedAt} as="relative" />}
      </div>
    </li>
  );
}

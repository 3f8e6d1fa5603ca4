import { Link } from '@tanstack/react-router';
import { get } from '../../../api/get.ts';
import { toTask } from '../../../links.ts';
import { Asked } from '../../../parts/answer.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { SkeletonRows } from '../../../parts/skeleton.tsx';
import { TaskStateMark } from '../../../parts/state.tsx';
import { words } from '../../../words/index.ts';
import { type Branch, branchesOf } from './branches.ts';
import styles from './chain.module.css';

const { taskChain: text } = words;

/** The tasks that start it, and those that it starts, over any number of others. */
export function ChainOf({ id }: { id: string }) {
  return (
    <Panel title={text.title}>
      <Asked query={get('/v1/tasks/{id}/chain', { path: { id } })} skeleton={<SkeletonRows rows={3} />}>
        {(chain) => (
          <div className={styles.chain}>
            <Side title={text.before} none={text.nothingBefore} branches={branchesOf(chain, id, 'before')} />
            <Side title={text.after} none={text.nothingAfter} branches={branchesOf(chain, id, 'after')} />
            {chain.hidden === 0 ? null : <p className="quiet">{text.hidden(chain.hidden)}</p>}
            {chain.isCut ? <p className="quiet">{text.isCut}</p> : null}
            <p className="quiet">{text.notKnown}</p>
          </div>
        )}
      </Asked>
    </Panel>
  );
}

function Side({ title, none, branches }: { title: string; none: string; branches: readonly Branch[] }) {
  if (branches.length === 0) return <p>{none}</p>;
  return (
    <div>
      <h3>{title}</h3>
      <Branches of={branches} />
    </div>
  );
}

function Branches({ of }: { of: readonly Branch[] }) {
  return (
    <ul className={styles.tree}>
      {of.map(({ way, task, on, wasShown, beyond }) => (
        <li key={way}>
          <div className={styles.task}>
            <Link {...toTask(task.id)}>{task.name}</Link>
            {task.state === 'active' ? null : <TaskStateMark state={task.state} />}
            <span className="quiet">
              {[...new Set(on.map((cause) => text.causes[cause])), ...(wasShown ? [text.again] : [])].join(', ')}
            </span>
          </div>
          {beyond.length === 0 ? null : <Branches of={beyond} />}
        </li>
      ))}
    </ul>
  );
}

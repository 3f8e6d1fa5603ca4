import type { UseQueryResult } from '@tanstack/react-query';
import { Empty, Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { type Draft, textAt } from './draft.ts';
import styles from './screen.module.css';
import type { TaskPreview } from './use-preview.ts';

const { edit: text } = words;

/** What the draft will do, beside what the task does today. */
export function Preview({ preview, draft }: { preview: UseQueryResult<TaskPreview>; draft: Draft | undefined }) {
  const { data, error } = preview;
  return (
    <Panel title={text.preview}>
      <div className={styles.preview} aria-live="polite">
        {draft && textAt(draft, 'name') === '' ? (
          <Empty title={text.previewEmpty} />
        ) : error ? (
          <ProblemNote error={error} />
        ) : data ? (
          <Seen preview={data} />
        ) : (
          <SkeletonRows rows={6} />
        )}
      </div>
    </Panel>
  );
}

function Seen({ preview }: { preview: TaskPreview }) {
  const { effect, meaning, meaningBefore } = preview;
  const { action, changed, fires, passed, clockChanges = [], lints } = effect;
  return (
    <>
      <dl className={styles.meanings}>
        {meaningBefore === null ? null : (
          <div>
            <dt>{text.before}</dt>
            <dd>{meaningBefore}</dd>
          </div>
        )}
        <div>
          <dt>{text.after}</dt>
          <dd>
            <strong>{meaning}</strong>
          </dd>
        </div>
      </dl>
      {action === 'unchanged' ? <p className="quiet">{text.unchanged}</p> : null}
      {action === 'update' ? <p>{text.changed(changed)}</p> : null}
      <Fires preview={preview} />
      {action === 'update' ? (
        <p className="quiet">
          {fires.truncated ? (
            <>
              {text.comparedTo} <Instant at={fires.comparedTo} as="both" />.{' '}
            </>
          ) : null}
          {text.effect(fires.added.count, fires.removed.count, fires.moved.count, fires.kept)}
        </p>
      ) : null}
      {passed === null ? null : (
        <Note tone="attention" shape="clock">
          <span>
            {text.passed} <Instant at={passed} as="both" />.
          </span>
        </Note>
      )}
      {[
        ...clockChanges.map((each) => ({ ...each, title: text.clock })),
        ...lints.map((each) => ({ ...each, title: text.lint })),
      ].map(({ title, message, fix }) => (
        <Note key={message} tone="attention" shape="question" title={title}>
          <span>{message}</span>
          {fix === undefined ? null : <span className="quiet">{fix}</span>}
        </Note>
      ))}
    </>
  );
}

/** The next fires, today and then; those that only one of them has stand out. */
function Fires({ preview: { before, after, version, effect } }: { preview: TaskPreview }) {
  const zone = effect.timeZone;
  return (
    <div className={styles.fires}>
      {version === null ? null : (
        <FireList title={text.before} fires={before} others={after} zone={zone} mark={text.gone} />
      )}
      <FireList
        title={version === null ? text.fires : text.after}
        fires={after}
        others={version === null ? after : before}
        zone={zone}
        mark={text.added}
      />
    </div>
  );
}

interface FireListProps {
  title: string;
  fires: readonly string[];
  others: readonly string[];
  zone: string;
  mark: string;
}

function FireList({ title, fires, others, zone, mark }: FireListProps) {
  const known = new Set(others);
  return (
    <div>
      <h3>{title}</h3>
      {fires.length === 0 ? <p className="quiet">{text.noFires}</p> : null}
      <ol>
        {fires.map((at) => (
          <li key={at} className={known.has(at) ? undefined : styles.other}>
            <Instant at={at} scheduleZone={zone} /> {known.has(at) ? null : <span>{mark}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

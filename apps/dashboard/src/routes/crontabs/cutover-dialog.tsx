import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCutOver } from '../../actions/crontabs.ts';
import type { components } from '../../api/generated/openapi.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { Answer } from '../../parts/answer.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Note } from '../../parts/note.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Side } from './crontab.ts';
import styles from './screen.module.css';

type Plan = components['schemas']['Cutovers'];
type Item = Plan['items'][number];

/** Which lines change sides: these, or those of a crontab that agree. */
export interface Wanted {
  to: Side;
  lines?: string[];
  source?: string;
  /** What is asked about, in words. */
  name: string;
}

const { crontabs: text } = words;

/** Says when each line would change sides, and who is asked; then asks the hosts. */
export function CutoverDialog({ wanted, onClose }: { wanted: Wanted; onClose: () => void }) {
  const { name, ...asked } = wanted;
  const dry = useDryRun(asked);
  const { mutate, isPending, error } = useCutOver();
  const items = dry.data?.items ?? [];
  const isReady = items.length > 0 && items.every(({ waits }) => waits === null);
  return (
    <ReasonDialog
      title={text.askTitle(name, wanted.to)}
      doIt={text.doAsk(items.length, items[0]?.host ?? '')}
      isReady={isReady}
      typed={items.length}
      isPending={isPending}
      error={error}
      onClose={onClose}
      // The lines that were shown, and no others that agree by now.
      onDo={(said) =>
        mutate({ body: { to: wanted.to, lines: items.map(({ line }) => line), ...said } }, { onSuccess: onClose })
      }
    >
      <Planned of={dry} />
    </ReasonDialog>
  );
}

function useDryRun(asked: Omit<Wanted, 'name'>): UseQueryResult<Plan> {
  return useQuery({
    queryKey: keyOf('/v1/shadow/cutovers', asked),
    queryFn: ({ signal }) => request('post', '/v1/shadow/cutovers', { body: { ...asked, dryRun: true } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

function Planned({ of }: { of: UseQueryResult<Plan> }) {
  return (
    <Answer of={of} skeleton={<p>{text.asking}</p>}>
      {({ items, left }) => (
        <>
          {items.length === 0 ? <p>{text.nothing}</p> : null}
          <ul className={styles.plan}>
            {items.map((item) => (
              <One key={item.line} item={item} />
            ))}
          </ul>
          {left.length === 0 ? null : <Left left={left} />}
        </>
      )}
    </Answer>
  );
}

function One({ item: { task, host, to, at, after, before, waits, isRunning } }: { item: Item }) {
  return (
    <li>
      <strong>{task}</strong>
      <p>
        {text.effect(host, to)} <Instant at={at} as="both" />.
      </p>
      <Facts
        of={[
          [text.lastBefore(to), <Instant key="after" at={after} />],
          [text.firstAfter(to), <Instant key="before" at={before} />],
        ]}
      />
      {isRunning ? <p>{text.isRunning}</p> : null}
      {waits === null ? null : (
        <Note tone="attention" shape="hand" title={text.cannotRun(task)} small={waits.advice}>
          {waits.reason} {text.cannotRunFix}
        </Note>
      )}
    </li>
  );
}

function Left({ left }: { left: Plan['left'] }) {
  return (
    <>
      <p>{text.left(left.length)}</p>
      <ul className={styles.left}>
        {left.map(({ line, task, why }) => (
          <li key={line}>
            {task}: {why}
          </li>
        ))}
      </ul>
    </>
  );
}

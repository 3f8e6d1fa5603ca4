import { useInfiniteQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { pages } from '../../api/get.ts';
import { toAlerting } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { Answer } from '../../parts/answer.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Delivery = components['schemas']['Delivery'];

const { alerting: text, common } = words;
const { delivery: heads } = text;
const PAGE = 25;
/** A try that fails is told by no event. */
const LOOK_MS = 5000;

const LOOKS: Readonly<Record<Delivery['state'], Look>> = {
  pending: { tone: 'waiting', shape: 'clock', words: text.deliveryStates.pending },
  sent: { tone: 'good', shape: 'check', words: text.deliveryStates.sent },
  dropped: { tone: 'bad', shape: 'cross', words: text.deliveryStates.dropped },
};

const COLUMNS: readonly Column<Delivery>[] = [
  { head: heads.at, cell: ({ createdAt }) => <Instant at={createdAt} as="relative" /> },
  { head: heads.receiver, cell: ({ receiver }) => receiver },
  { head: heads.state, cell: ({ state }) => <StateMark look={LOOKS[state]} /> },
  { head: heads.tries, isNumber: true, cell: ({ tries }) => tries.toLocaleString('en') },
  {
    head: heads.about,
    cell: ({ alerts, text: sentText }) => (
      <>
        {text.alertsOf(alerts.length)}
        {sentText === null ? null : <div className={`${styles.small} ${styles.text}`}>{sentText}</div>}
      </>
    ),
  },
  {
    head: heads.error,
    cell: ({ error, state, tryAt }) => (
      <>
        {error}
        {state === 'pending' && error !== null && tryAt !== null ? (
          <div className={styles.small}>
            {text.nextTry} <Instant at={tryAt} as="relative" />
          </div>
        ) : null}
      </>
    ),
  },
];

/** Messages about alerts, and what became of each. */
export function Deliveries({ receiver }: { receiver: string | undefined }) {
  const maySee = useMayAll('read-payload');
  return (
    <Panel title={text.deliveries} flush>
      {maySee ? (
        <>
          {receiver === undefined ? null : <Choices receiver={receiver} />}
          <List receiver={receiver} />
        </>
      ) : (
        <Empty title={text.mayNotSee}>
          <span>{common.notAllowedForAll('read-payload')}</span>
        </Empty>
      )}
    </Panel>
  );
}

function Choices({ receiver }: { receiver: string }) {
  return (
    <div className={styles.choices}>
      <Chips label={text.choices}>
        <Chip link={toAlerting()} isChosen={false}>
          {text.allReceivers}
        </Chip>
        <Chip link={toAlerting({ receiver })} isChosen>
          {text.deliveriesOf(receiver)}
        </Chip>
      </Chips>
    </div>
  );
}

function List({ receiver }: { receiver: string | undefined }) {
  const query = { limit: PAGE, ...(receiver === undefined ? {} : { receiver }) };
  const list = useInfiniteQuery({ ...pages('/v1/deliveries', { query }), refetchInterval: LOOK_MS });
  return (
    <>
      <Answer of={list} skeleton={<SkeletonRows rows={3} />}>
        {({ pages: read }) => {
          const deliveries = read.flatMap(({ items }) => items);
          if (deliveries.length === 0) return <Empty title={text.noDeliveries} />;
          return <DataTable label={text.deliveries} columns={COLUMNS} rows={deliveries} keyOf={({ id }) => id} />;
        }}
      </Answer>
      {list.hasNextPage ? (
        <div className={styles.foot}>
          <MoreButton list={list} words={text.more} />
        </div>
      ) : null}
    </>
  );
}

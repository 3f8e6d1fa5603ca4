import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { pages } from '../../api/get.ts';
import { toAlerts } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { Alert } from './alert.tsx';
import styles from './screen.module.css';
import { Silences } from './silences.tsx';

const api = getRouteApi('/signed-in/alerts');
const { alerts: text } = words;
const PAGE = 50;

/** What is wrong, or was: why, who is told, and who looks after it. */
export function AlertsScreen() {
  const { all = false } = api.useSearch();
  const list = useInfiniteQuery(pages('/v1/alerts', { query: { all: all ? 'true' : 'false', limit: PAGE } }));
  return (
    <Page title={text.title}>
      <Chips label={text.choices}>
        <Chip link={toAlerts()} isChosen={!all}>
          {text.now}
        </Chip>
        <Chip link={toAlerts({ all: true })} isChosen={all}>
          {text.all}
        </Chip>
      </Chips>
      <Answer of={list} skeleton={<SkeletonRows rows={6} />}>
        {({ pages: read }) => {
          const alerts = read.flatMap(({ items }) => items);
          if (alerts.length === 0)
            return (
              <Empty title={all ? text.noneEver : text.none}>
                <span>{text.noneFix}</span>
              </Empty>
            );
          return (
            <ul className={styles.alerts} aria-label={text.list}>
              {alerts.map((alert) => (
                <Alert key={alert.id} alert={alert} />
              ))}
            </ul>
          );
        }}
      </Answer>
      <MoreButton list={list} words={text.more} />
      <Silences />
    </Page>
  );
}

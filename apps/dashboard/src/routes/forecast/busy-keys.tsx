import { Link } from '@tanstack/react-router';
import { toForecast } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Forecast } from './answer.ts';
import type { ForecastSearch } from './search.ts';

type Key = Forecast['keys'][number];

const { forecast: text } = words;
const { key: heads, met } = text;

const columnsOf = (search: ForecastSearch): readonly Column<Key>[] => [
  { head: heads.name, cell: ({ key }) => <Link {...toForecast({ ...search, key })}>{key}</Link> },
  { head: heads.limit, isNumber: true, cell: ({ limit }) => limit.toLocaleString('en') },
  { head: heads.runs, isNumber: true, cell: ({ runs }) => runs.toLocaleString('en') },
  { head: heads.usual, cell: ({ p50 }) => metWords(p50) },
  { head: heads.most, cell: ({ p95 }) => metWords(p95) },
  { head: heads.at, cell: ({ p50, p95 }) => <First at={p50.firstAt ?? p95.firstAt} /> },
];

/** Keys for which runs will wait, or be skipped. */
export function BusyKeys({ keys, search }: { keys: readonly Key[]; search: ForecastSearch }) {
  return (
    <Panel title={text.keys} flush>
      {keys.length === 0 ? (
        <Empty title={text.noKeys} />
      ) : (
        <DataTable label={text.keys} columns={columnsOf(search)} rows={keys} keyOf={({ key }) => key} />
      )}
    </Panel>
  );
}

function First({ at }: { at: string | null }) {
  return at === null ? null : <Instant at={at} />;
}

function metWords({ skipped, wait, replace, longestWaitMs }: Key['p50']): string {
  const parts = [
    ...(skipped > 0 ? [met.skipped(skipped)] : []),
    ...(wait > 0 ? [met.wait(wait, durationWords(longestWaitMs))] : []),
    ...(replace > 0 ? [met.replace(replace)] : []),
  ];
  return parts.join(', ') || met.none;
}

import { useQuery } from '@tanstack/react-query';
import { get } from '../../../api/get.ts';
import { toForecast } from '../../../links.ts';
import { Answer } from '../../../parts/answer.tsx';
import { Chip, Chips } from '../../../parts/chips.tsx';
import { Empty } from '../../../parts/note.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { SkeletonRows } from '../../../parts/skeleton.tsx';
import { TableTwin } from '../../../parts/table-twin.tsx';
import { words } from '../../../words/index.ts';
import { daysOf, type ForecastSearch } from '../search.ts';
import { RowsLegend } from './legend.tsx';
import { Picture } from './picture.tsx';
import { RowsTable } from './rows-table.tsx';

const { forecastRows: text } = words;
const LOOK_MS = 60_000;

/** By task or key: what was, beside what will be, over the same time. */
export function Rows({ search, zone }: { search: ForecastSearch; zone: string }) {
  const { by = 'task', pool, key } = search;
  const rows = useQuery({
    ...get('/v1/forecast/rows', {
      query: {
        ...{ by, days: daysOf(search), timeZone: zone },
        ...(pool === undefined ? {} : { pool }),
        ...(key === undefined ? {} : { key }),
      },
    }),
    placeholderData: (before) => before,
    refetchInterval: LOOK_MS,
  });
  return (
    <Panel
      title={text.title}
      actions={
        <Chips label={text.by.label}>
          {(['task', 'key'] as const).map((each) => (
            <Chip
              key={each}
              link={{
                ...toForecast({ ...search, by: each === 'key' ? each : undefined }),
                ...{ resetScroll: false, replace: true },
              }}
              isChosen={each === by}
            >
              {text.by[each]}
            </Chip>
          ))}
        </Chips>
      }
    >
      <Answer of={rows} skeleton={<SkeletonRows rows={5} />}>
        {(found) =>
          found.rows.length === 0 ? (
            <Empty title={text.none} />
          ) : (
            <>
              <Picture of={found} by={by} zone={zone} />
              {found.left === 0 ? null : <p className="quiet">{text.left(found.left)}</p>}
              <RowsLegend />
              <TableTwin>
                <RowsTable rows={found.rows} by={by} />
              </TableTwin>
            </>
          )
        }
      </Answer>
    </Panel>
  );
}

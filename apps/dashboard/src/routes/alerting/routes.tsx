import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { DAY } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import type { Route } from './document.ts';
import styles from './screen.module.css';

const { alerting: text } = words;
const { route: heads } = text;
/** As often as an alert is told where its route says nothing. */
const USUAL_REPEAT_MS = DAY;

interface Placed {
  route: Route;
  place: number;
}

const COLUMNS: readonly Column<Placed>[] = [
  { head: heads.match, cell: ({ route: { match } }) => match ?? text.anyAlert },
  { head: heads.to, cell: ({ route: { receivers } }) => receivers.join(', ') || text.nobody },
  { head: heads.hours, cell: ({ route: { hours } }) => (hours ? text.hours(hours) : text.always) },
  { head: heads.again, cell: ({ route: { repeatMs = USUAL_REPEAT_MS } }) => text.after(repeatMs) },
  { head: heads.then, cell: ({ route }) => (route.continue ? text.goesOn : text.ends) },
];

/** Who is told of what, in the order in which they are asked. */
export function Routes({ routes }: { routes: readonly Route[] }) {
  return (
    <Panel title={text.routes} flush>
      {routes.length === 0 ? (
        <Empty title={text.noRoutes} />
      ) : (
        <DataTable
          label={text.routes}
          columns={COLUMNS}
          rows={routes.map((route, place) => ({ route, place }))}
          keyOf={({ place }) => String(place)}
        />
      )}
      <p className={styles.foot}>{text.routesRest}</p>
    </Panel>
  );
}

import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { roughly } from '../../time/durations.ts';
import { words } from '../../words/index.ts';

type Scheduler = components['schemas']['Scheduler'];

const { fleet: text } = words;
const { scheduler: heads } = text;

const COLUMNS: readonly Column<Scheduler>[] = [
  { head: heads.name, cell: ({ id }) => id },
  { head: heads.host, cell: ({ host, pid }) => text.process(host, pid) },
  { head: heads.version, cell: ({ appVersion }) => appVersion },
  { head: heads.zones, cell: ({ tzVersion }) => tzVersion ?? text.unknown },
  { head: heads.heartbeat, cell: ({ heartbeatAgeMs }) => text.ago(roughly(heartbeatAgeMs)) },
  {
    head: heads.planned,
    cell: ({ plannedAgeMs }) => (plannedAgeMs === null ? text.unknown : text.ago(roughly(plannedAgeMs))),
  },
  {
    head: heads.clock,
    isNumber: true,
    cell: ({ clockOffsetMs }) => (clockOffsetMs === null ? text.unknown : text.ms(Math.round(clockOffsetMs))),
  },
];

/** Ages of signs of life: no event tells that one has not come. */
const LOOK_MS = 5000;
const schedulersQuery = { ...get('/v1/schedulers'), refetchInterval: LOOK_MS };

/** The schedulers that are alive. */
export function Schedulers() {
  return (
    <Panel title={text.schedulers} flush>
      <Asked query={schedulersQuery} skeleton={<SkeletonRows rows={1} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.noSchedulers} />
          ) : (
            <DataTable label={text.schedulers} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Asked>
    </Panel>
  );
}

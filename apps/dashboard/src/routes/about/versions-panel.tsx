import { useQueries } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import { areMixed, type Part, partsOf } from './versions.ts';

const { about: text } = words;
const { part: heads } = text;
const SHOWN_HOSTS = 5;

const COLUMNS: readonly Column<Part>[] = [
  { head: heads.name, cell: ({ name }) => text.parts[name] },
  { head: heads.version, cell: ({ version }) => version },
  { head: heads.count, isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
  { head: heads.on, cell: ({ hosts }) => hostsWords(hosts) },
];

function hostsWords(hosts: readonly string[]): string {
  const more = hosts.length - SHOWN_HOSTS;
  return [hosts.slice(0, SHOWN_HOSTS).join(', '), ...(more > 0 ? [text.moreHosts(more)] : [])].join(' ');
}

/** Where nobody has told a server its version, nothing is said of it. */
function known(server: { host: string; appVersion: string | null } | undefined) {
  return server && server.appVersion !== null ? [{ host: server.host, appVersion: server.appVersion }] : [];
}

/** Which versions of the program the server that answers, schedulers and workers have. */
export function Versions() {
  const [api, schedulers, workers] = useQueries({
    queries: [get('/v1/api'), get('/v1/schedulers'), get('/v1/workers')],
  });
  const parts = [
    ...partsOf('api', known(api.data)),
    ...partsOf('scheduler', schedulers.data?.items ?? []),
    ...partsOf('worker', workers.data?.items ?? []),
  ];
  const asked = [api, schedulers, workers];
  const error = asked.find((query) => query.data === undefined && query.error)?.error;
  return (
    <Panel title={text.versions} flush>
      {error ? <ProblemNote error={error} /> : null}
      {areMixed(parts) ? (
        <div className={styles.note}>
          <Note tone="attention" shape="question" title={text.mixed}>
            <span>{text.mixedWords}</span>
          </Note>
        </div>
      ) : null}
      {asked.some(({ isPending }) => isPending) ? (
        <SkeletonRows rows={3} />
      ) : (
        <DataTable
          label={text.versions}
          columns={COLUMNS}
          rows={parts}
          keyOf={({ name, version }) => `${name} ${version}`}
        />
      )}
    </Panel>
  );
}

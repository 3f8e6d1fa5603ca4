import { useState } from 'react';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { columnsOf } from './columns.tsx';
import { type Crontab, isGreen } from './crontab.ts';
import { CutoverDialog, type Wanted } from './cutover-dialog.tsx';
import { Differences } from './differences.tsx';
import styles from './screen.module.css';

const { crontabs: text, common } = words;

/** One file of a host: its lines, what differs, and who runs what. */
export function CrontabPanel({ crontab }: { crontab: Crontab }) {
  const { source, host, path, lines } = crontab;
  const [asked, setAsked] = useState<Wanted | null>(null);
  return (
    <Panel
      title={host === null ? path : `${host}: ${path}`}
      note={text.lines(lines.length)}
      actions={<CutOverAll crontab={crontab} onAsk={setAsked} />}
      flush
    >
      <Reported crontab={crontab} />
      <DataTable label={text.table(source)} columns={columnsOf(setAsked)} rows={lines} keyOf={({ id }) => id} />
      <Differences lines={lines} />
      {asked ? <CutoverDialog wanted={asked} onClose={() => setAsked(null)} /> : null}
    </Panel>
  );
}

/** Since when both are compared, and when its host was last heard of. */
function Reported({ crontab: { source, hosts, lastStartedAt, comparedSince } }: { crontab: Crontab }) {
  if (lastStartedAt === null)
    return (
      <p className={styles.reported}>
        {text.neverReported} <code>{text.neverReportedFix(source)}</code>
      </p>
    );
  return (
    <p className={styles.reported}>
      {text.reportedBy(hosts)} <Instant at={lastStartedAt} as="relative" />
      {comparedSince === null ? null : (
        <>
          ; {text.comparedSince} <Instant at={comparedSince} />
        </>
      )}
    </p>
  );
}

function CutOverAll({ crontab, onAsk }: { crontab: Crontab; onAsk: (wanted: Wanted) => void }) {
  const mayEdit = useMay('edit');
  const { source, lines } = crontab;
  const green = lines.filter(isGreen);
  const whyNot = !mayEdit ? common.notAllowed('edit') : green.length === 0 ? text.whyNot.noGreen : null;
  const onClick = () => onAsk({ to: 'fleet', source, name: text.allOf(source) });
  return <ActionButton words={text.cutOverAll(green.length)} whyNot={whyNot} onClick={onClick} />;
}

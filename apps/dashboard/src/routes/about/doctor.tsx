import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import { bySeverity } from './versions.ts';

type Finding = components['schemas']['Examination']['findings'][number];

const { about: text } = words;
const { finding: heads } = text;

const LOOKS: Readonly<Record<Finding['level'], Look>> = {
  ok: { tone: 'good', shape: 'check', words: text.levels.ok },
  warning: { tone: 'attention', shape: 'question', words: text.levels.warning },
  problem: { tone: 'bad', shape: 'cross', words: text.levels.problem },
};

const COLUMNS: readonly Column<Finding>[] = [
  { head: heads.subject, cell: ({ subject }) => <span className={styles.subject}>{subject}</span> },
  { head: heads.level, cell: ({ level }) => <StateMark look={LOOKS[level]} /> },
  {
    head: heads.detail,
    cell: ({ detail, fix }) => (
      <>
        {detail}
        {fix === undefined ? null : <div className={styles.fix}>{text.fix(fix)}</div>}
      </>
    ),
  },
];

/** What an examination of the fleet finds, and what to do about it. */
export function Doctor() {
  const examination = useQuery(get('/v1/doctor'));
  return (
    <Panel
      title={text.doctor}
      {...(examination.data ? { note: summaryOf(examination.data.findings) } : {})}
      flush
      actions={
        <Button
          variant="default"
          size="compact-md"
          loading={examination.isFetching}
          onClick={() => void examination.refetch()}
        >
          {text.again}
        </Button>
      }
    >
      <Answer of={examination} skeleton={<SkeletonRows rows={6} />}>
        {({ findings }) => (
          <DataTable
            label={text.doctor}
            columns={COLUMNS}
            rows={bySeverity(findings)}
            keyOf={({ subject, level, detail }) => `${subject} ${level} ${detail}`}
          />
        )}
      </Answer>
    </Panel>
  );
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding['level']) => findings.filter(({ level }) => level === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const parts = [
    ...(problems > 0 ? [text.problems(problems)] : []),
    ...(warnings > 0 ? [text.warnings(warnings)] : []),
  ];
  return parts.length === 0 ? text.noProblem : parts.join(', ');
}

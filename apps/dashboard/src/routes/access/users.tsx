import { get } from '../../api/get.ts';
import { type Me, useMe } from '../../me/me.ts';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { isSelf, type User } from './grant.ts';
import { Granted } from './granted.tsx';
import { Made } from './made.tsx';
import { NewUser } from './new-user.tsx';
import styles from './screen.module.css';
import { isCalled } from './search.ts';
import { UserActions } from './user-actions.tsx';

const { access: text } = words;
const { user: heads } = text;

const LOOKS: Readonly<Record<NonNullable<User['disabled']> | 'active', Look>> = {
  active: { tone: 'good', shape: 'dot', words: text.states.active },
  'by-admin': { tone: 'attention', shape: 'hand', words: text.states['by-admin'] },
  'no-group': { tone: 'quiet', shape: 'slash', words: text.states['no-group'] },
};

const columnsOf = (users: readonly User[], me: Me): readonly Column<User>[] => [
  { head: heads.name, cell: (user) => <Name user={user} isYou={isSelf(me, user)} /> },
  { head: heads.may, cell: (user) => <Granted of={user} /> },
  { head: heads.state, cell: ({ disabled }) => <StateMark look={LOOKS[disabled ?? 'active']} /> },
  {
    head: heads.password,
    cell: ({ issuer, passwordAt }) => (issuer === null ? <Instant at={passwordAt} as="relative" /> : text.provider),
  },
  { head: heads.made, cell: ({ createdAt, createdBy }) => <Made at={createdAt} by={createdBy} /> },
  { head: text.actions, isForActions: true, cell: (user) => <UserActions user={user} users={users} /> },
];

/** Who may sign in to the dashboard, and what each may do. */
export function Users({ find }: { find: string | undefined }) {
  const me = useMe();
  return (
    <Panel title={text.users} flush actions={<NewUser />}>
      <Asked query={get('/v1/users')} skeleton={<SkeletonRows rows={3} />}>
        {({ items }) => {
          const found = items.filter(({ name }) => isCalled(name, find));
          if (items.length === 0)
            return (
              <Empty title={text.noUsers}>
                <span>{text.noUsersFix}</span>
                <code>{text.noUsersCommand}</code>
              </Empty>
            );
          if (found.length === 0) return <Empty title={text.noneFound} />;
          return <DataTable label={text.users} columns={columnsOf(items, me)} rows={found} keyOf={({ id }) => id} />;
        }}
      </Asked>
    </Panel>
  );
}

function Name({ user: { name, issuer }, isYou }: { user: User; isYou: boolean }) {
  return (
    <>
      {name}
      {isYou ? <span className={styles.you}>{text.you}</span> : null}
      {issuer === null ? null : <div className={styles.small}>{text.fromProvider(issuer)}</div>}
    </>
  );
}

import { useState } from 'react';
import { useRevokeToken } from '../../actions/tokens.ts';
import { get } from '../../api/get.ts';
import { toAccess } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Asked } from '../../parts/answer.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/state.tsx';
import { SECOND } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { useNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import type { Token } from './grant.ts';
import { Granted } from './granted.tsx';
import { Made } from './made.tsx';
import { NewToken } from './new-token.tsx';
import styles from './screen.module.css';
import { type AccessSearch, isCalled } from './search.ts';
import { stateOf, TOKEN_LOOKS } from './token-state.ts';

const { access: text, common } = words;
const { token: heads } = text;
/** So late it is seen that a token has ended. */
const STEP_MS = 10 * SECOND;

const columnsOf = (now: number): readonly Column<Token>[] => [
  { head: heads.name, cell: ({ name }) => name },
  { head: heads.may, cell: (token) => <Granted of={token} /> },
  { head: heads.state, cell: (token) => <StateMark look={TOKEN_LOOKS[stateOf(token, now)]} /> },
  {
    head: heads.used,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Instant at={lastUsedAt} as="relative" />),
  },
  {
    head: heads.ends,
    cell: ({ revokedAt, expiresAt }) => <End at={revokedAt ?? expiresAt} />,
  },
  { head: heads.made, cell: ({ createdAt, createdBy }) => <Made at={createdAt} by={createdBy} /> },
  { head: text.actions, isForActions: true, cell: (token) => <Revoke token={token} /> },
];

function End({ at }: { at: string | null }) {
  return at === null ? text.never : <Instant at={at} as="relative" />;
}

/** By which programs ask the API, and what each may do. */
export function Tokens({ search }: { search: AccessSearch }) {
  return (
    <Panel title={text.tokens} flush actions={<NewToken />}>
      <div className={styles.choices}>
        <Chips label={text.choices}>
          <Chip link={toAccess({ ...search, all: undefined })} isChosen={!search.all}>
            {text.inUse}
          </Chip>
          <Chip link={toAccess({ ...search, all: true })} isChosen={search.all === true}>
            {text.all}
          </Chip>
        </Chips>
      </div>
      <Asked query={get('/v1/tokens')} skeleton={<SkeletonRows rows={3} />}>
        {({ items }) => <List tokens={items} search={search} />}
      </Asked>
    </Panel>
  );
}

function List({ tokens, search: { find, all } }: { tokens: readonly Token[]; search: AccessSearch }) {
  const now = useNow(STEP_MS);
  const shown = all ? tokens : tokens.filter((token) => stateOf(token, now) === 'active');
  const found = shown.filter(({ name }) => isCalled(name, find));
  if (shown.length === 0)
    return (
      <Empty title={tokens.length === 0 ? text.noTokensEver : text.noTokens}>
        <span>{text.noTokensFix}</span>
      </Empty>
    );
  if (found.length === 0) return <Empty title={text.noTokenFound} />;
  return <DataTable label={text.tokens} columns={columnsOf(now)} rows={found} keyOf={({ id }) => id} />;
}

function Revoke({ token }: { token: Token }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayGrant = useMayAll('access');
  const state = stateOf(token, useNow(STEP_MS));
  const isOver = { active: null, revoked: text.revokedAlready, expired: text.endedAlready }[state];
  return (
    <>
      <ActionButton
        words={text.revoke}
        whyNot={isOver ?? (mayGrant ? null : common.notAllowedForAll('access'))}
        isDangerous
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <RevokeDialog token={token} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function RevokeDialog({ token: { id, name }, onClose }: { token: Token; onClose: () => void }) {
  const { mutate, isPending, error } = useRevokeToken();
  return (
    <ReasonDialog
      title={text.revokeTitle(name)}
      doIt={text.doRevoke}
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, query: said }, { onSuccess: onClose })}
    >
      {text.revokeWords}
    </ReasonDialog>
  );
}

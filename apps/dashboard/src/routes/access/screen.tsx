import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { toAccess } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { FindField } from '../../parts/find-field.tsx';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/index.ts';
import { NewToken } from './new-token.tsx';
import { NewUser } from './new-user.tsx';
import styles from './screen.module.css';
import type { AccessSearch } from './search.ts';
import { Tokens } from './tokens.tsx';
import { Users } from './users.tsx';

const api = getRouteApi('/signed-in/access');
const { access: text, common } = words;

/** Who may sign in, which programs may ask, and what each of them may do. */
export function AccessScreen() {
  const search = api.useSearch();
  const maySee = useMayAll('access');
  return <Page title={text.title}>{maySee ? <Lists search={search} /> : <MayNot />}</Page>;
}

function Lists({ search }: { search: AccessSearch }) {
  const navigate = useNavigate();
  const onFind = (typed: string) =>
    void navigate({ ...toAccess({ ...search, find: typed === '' ? undefined : typed }), replace: true });
  return (
    <>
      <search className={styles.find}>
        <FindField label={text.find} value={search.find ?? ''} onValue={onFind} />
      </search>
      <Users find={search.find} />
      <Tokens search={search} />
    </>
  );
}

/** What could be done is there, and says why it cannot be done. */
function MayNot() {
  return (
    <>
      <Note tone="attention" shape="hand" title={text.mayNot}>
        <span>{common.notAllowedForAll('access')}</span>
        <span>{text.mayNotFix}</span>
      </Note>
      <Panel title={text.users} actions={<NewUser />}>
        <p className="quiet">{text.mayNot}</p>
      </Panel>
      <Panel title={text.tokens} actions={<NewToken />}>
        <p className="quiet">{text.mayNot}</p>
      </Panel>
    </>
  );
}

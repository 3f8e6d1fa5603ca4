import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isAbout } from '../../api/keys.ts';
import { Note } from '../../parts/note.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import { PasswordForm } from './password-form.tsx';
import { Provider } from './provider.tsx';
import styles from './screen.module.css';
import { useCodeOfLink } from './use-code-of-link.ts';

const { signIn } = words;
const api = getRouteApi('/sign-in');

export function SignInScreen() {
  const { returnTo = '/' } = api.useSearch();
  const { history } = useRouter();
  useForgetting();
  const enter = () => history.push(returnTo);
  const byLink = useCodeOfLink(enter);
  useEffect(() => {
    document.title = `${signIn.title} · ${words.common.product}`;
  }, []);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <img src="/favicon.svg" alt="" />
          {words.common.product}
        </div>
        <div className={styles.form}>
          <h1>{signIn.title}</h1>
          {byLink.isPending ? <Note tone="busy" shape="clock" title={signIn.byCode} role="status" /> : null}
          {byLink.error ? <ProblemNote error={byLink.error} /> : null}
          <PasswordForm onDone={enter} />
          <Provider returnTo={returnTo} />
        </div>
        <p className={styles.help}>
          {signIn.help}
          <code>{signIn.helpCommand}</code>
        </p>
      </div>
    </main>
  );
}

/** Nobody is signed in here: what whoever was so has read goes. */
function useForgetting(): void {
  const queries = useQueryClient();
  useEffect(() => {
    queries.removeQueries({ predicate: ({ queryKey }) => !isAbout(queryKey, ['session']) });
  }, [queries]);
}

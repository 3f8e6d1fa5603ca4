import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useSignIn } from '../../acts/sign-in.ts';
import { get } from '../../api/get.ts';
import { providerSignIn } from '../../links.ts';
import { Note } from '../../parts/note.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import { useCodeOfLink } from './use-code-of-link.ts';

const { signIn } = words;
const api = getRouteApi('/sign-in');

export function SignInScreen() {
  const { returnTo = '/' } = api.useSearch();
  const { history } = useRouter();
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

function PasswordForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useSignIn();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ body: { name, password } }, { onSuccess: onDone, onError: () => setPassword('') });
  };
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <TextInput
        label={signIn.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoComplete="username"
        required
        withAsterisk={false}
      />
      <PasswordInput
        label={signIn.password}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
      {error ? <ProblemNote error={error} /> : null}
      <Button type="submit" loading={isPending} fullWidth>
        {signIn.submit}
      </Button>
    </form>
  );
}

/** Only where this server has a provider. */
function Provider({ returnTo }: { returnTo: string }) {
  const ways = useQuery(get('/v1/session/ways'));
  if (!ways.data?.oidc) return null;
  return (
    <>
      <div className={styles.or}>{signIn.or}</div>
      <Button component="a" href={providerSignIn(returnTo)} variant="default" fullWidth>
        {signIn.provider}
      </Button>
    </>
  );
}

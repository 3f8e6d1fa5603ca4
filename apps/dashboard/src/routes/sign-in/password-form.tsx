import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSignIn } from '../../actions/session.ts';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

const { signIn } = words;

interface PasswordFormProps {
  /** Where it is known who it is. Default: they say. */
  name?: string;
  /** Default: what else is on the screen sees it. */
  onDone?: () => void;
}

/** Signs in by name and password. */
export function PasswordForm({ name: known = '', onDone }: PasswordFormProps) {
  const [name, setName] = useState(known);
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useSignIn();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ body: { name, password } }, { onSuccess: () => onDone?.(), onError: () => setPassword('') });
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

import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { toSignIn } from '../../links.ts';
import { meQuery, useMe } from '../../me/me.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { words } from '../../words/index.ts';
import { PasswordForm } from './password-form.tsx';
import { Provider } from './provider.tsx';
import styles from './screen.module.css';

const { signIn } = words;
/** Above all other dialogs, which stay open beneath it. */
const ABOVE_ALL = 1000;

/** Stands before a page whose session has ended, and hides it. The page stays beneath, with what was typed. */
export default function SignInAgain() {
  const { principal } = useMe();
  const navigate = useNavigate();
  useLookOnReturn();
  return (
    <Dialog
      title={signIn.over}
      fullScreen
      zIndex={ABOVE_ALL}
      withCloseButton={false}
      closeOnEscape={false}
      onClose={() => undefined}
      classNames={{ content: styles.again ?? '' }}
    >
      <Stack gap="md">
        <p>{signIn.overWords}</p>
        <PasswordForm name={principal.name} />
        <Provider returnTo="/" isApart />
        <Button variant="subtle" onClick={() => void navigate(toSignIn())}>
          {signIn.leave}
        </Button>
      </Stack>
    </Dialog>
  );
}

/** Who has signed in in another tab is signed in here as well. */
function useLookOnReturn(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const look = () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }, { cancelRefetch: false });
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [queries]);
}

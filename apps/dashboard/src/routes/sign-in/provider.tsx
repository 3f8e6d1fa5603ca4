import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import { providerSignIn } from '../../links.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

const { signIn } = words;

interface ProviderProps {
  returnTo: string;
  /** In a tab of its own, so that this page stays as it is. Default false. */
  isApart?: boolean;
}

/** Signs in at the OpenID provider, where this server has one. */
export function Provider({ returnTo, isApart = false }: ProviderProps) {
  const ways = useQuery(get('/v1/session/ways'));
  if (!ways.data?.oidc) return null;
  return (
    <>
      <div className={styles.or}>{signIn.or}</div>
      <Button
        component="a"
        href={providerSignIn(returnTo)}
        variant="default"
        fullWidth
        {...(isApart ? { target: '_blank', rel: 'noopener' } : {})}
      >
        {isApart ? signIn.providerApart : signIn.provider}
      </Button>
    </>
  );
}

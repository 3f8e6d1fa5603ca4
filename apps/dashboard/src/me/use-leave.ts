import { useNavigate } from '@tanstack/react-router';
import { useSignOut } from '../actions/session.ts';
import { toSignIn } from '../links.ts';
import { notifyOtherTabs } from './other-tabs.ts';

/** Signs out, here and at once in all tabs of this browser, which have the same session. */
export function useLeave(): () => Promise<void> {
  const navigate = useNavigate();
  const { mutateAsync } = useSignOut();
  return async () => {
    await mutateAsync({});
    notifyOtherTabs();
    await navigate(toSignIn());
  };
}

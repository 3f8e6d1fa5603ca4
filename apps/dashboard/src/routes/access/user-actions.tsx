import { useState } from 'react';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { words } from '../../words/index.ts';
import type { User } from './grant.ts';
import styles from './screen.module.css';
import { DeleteDialog, DisableDialog, EnableDialog, GrantDialog, PasswordDialog } from './user-dialogs.tsx';

const { access: text, common } = words;

const DIALOGS = {
  grant: GrantDialog,
  ...{ password: PasswordDialog, disable: DisableDialog, enable: EnableDialog, delete: DeleteDialog },
};

/** What can be done with a user; each asks first, and takes a reason. */
export function UserActions({ user, users }: { user: User; users: readonly User[] }) {
  // Which one is asked stays, also when the user has changed before the answer came.
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const notAllowed = useMayAll('access') ? null : common.notAllowedForAll('access');
  const hasNone = user.issuer === null ? null : text.hasNoPassword;
  const Dialog = open === null ? null : DIALOGS[open];
  return (
    <div className={styles.acts}>
      <ActionButton
        words={text.grant}
        whyNot={notAllowed ?? (user.issuer === null ? null : text.groupsSay)}
        onClick={() => setOpen('grant')}
      />
      <ActionButton words={text.setPassword} whyNot={notAllowed ?? hasNone} onClick={() => setOpen('password')} />
      {user.disabled === null ? (
        <ActionButton words={text.disable} whyNot={notAllowed} onClick={() => setOpen('disable')} />
      ) : (
        <ActionButton
          words={text.enable}
          whyNot={notAllowed ?? (user.disabled === 'no-group' ? text.noGroup : null)}
          onClick={() => setOpen('enable')}
        />
      )}
      <ActionButton words={text.delete} whyNot={notAllowed} isDangerous onClick={() => setOpen('delete')} />
      {Dialog ? <Dialog user={user} users={users} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

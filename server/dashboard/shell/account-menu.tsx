import { useState } from 'preact/hooks';
import { usePlace } from '../data/organization.js';
import { Menu, type MenuItem } from '../kit/controls/menu.js';
import { toFailure } from '../kit/feedback/failure.js';
import { useToast } from '../kit/feedback/toast.js';
import { singleKeys } from '../kit/keyboard/shortcuts.js';
import styles from './account-menu.module.css';
import { useSignOut } from './sign-out.js';
import { chooseTheme, THEMES, theme } from './theme.js';

/** A menu of actions for the user and this browser, not for the organization. */
export function AccountMenu({ onHelp }: { onHelp: () => void }) {
  const { href, organization, session } = usePlace();
  const [chosen, setChosen] = useState(theme.get());
  const [keys, setKeys] = useState(singleKeys.get());
  const showToast = useToast();
  const signOut = useSignOut(organization.id);
  const { email } = session.user;

  const items: MenuItem[] = [
    { label: 'Your account', href: href('/account') },
    ...theme.values.map((name) => ({
      label: THEMES[name],
      isChecked: name === chosen,
      run: () => {
        chooseTheme(name);
        setChosen(name);
      },
    })),
    {
      label: keys === 'on' ? 'Turn single-key shortcuts off' : 'Turn single-key shortcuts on',
      run: () => {
        singleKeys.set(keys === 'on' ? 'off' : 'on');
        setKeys(singleKeys.get());
      },
    },
    { label: 'Keyboard shortcuts', run: onHelp },
    {
      label: 'Sign out',
      run: () => signOut.mutate(undefined, { onError: (error) => showToast({ text: toFailure(error).title }) }),
    },
  ];
  return (
    <Menu
      align="end"
      label="Account"
      button={
        <>
          <span class={styles.initial} data-initial={email.slice(0, 1).toUpperCase()} />
          <span class="visually-hidden">Account of </span>
          <span class={styles.email}>{email}</span>
        </>
      }
      items={items}
    />
  );
}

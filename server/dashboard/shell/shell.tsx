import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace } from '../data/organization.js';
import icon from '../design/icon.svg';
import { Button } from '../kit/controls/button.js';
import { Dialog } from '../kit/feedback/dialog.js';
import { useShortcuts } from '../kit/keyboard/shortcuts.js';
import { AccountMenu } from './account-menu.js';
import { CommandPalette } from './command-palette.js';
import { ConditionBanner } from './condition-banner.js';
import { Navigation } from './navigation.js';
import { OrganizationMenu } from './organization-menu.js';
import { type Page, pathOf } from './page.js';
import styles from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.js';

type Overlay = 'navigation' | 'palette' | 'help';

/** The frame of all pages of an organization: header, navigation, shortcuts. */
export function Shell({ pages, children }: { pages: readonly Page[]; children: ComponentChildren }) {
  const { href } = usePlace();
  const { route } = useLocation();
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  useShortcuts([
    { keys: 'mod+k', label: 'Open the command palette', run: () => setOverlay('palette') },
    { keys: '?', label: 'Show the shortcuts', run: () => setOverlay('help') },
    ...pages.map((page) => ({
      keys: page.keys,
      label: `Go to ${page.title}`,
      run: () => route(href(pathOf(page))),
    })),
  ]);

  return (
    <div class={styles.shell}>
      <a class={styles.skip} href="#main">
        Skip to the content
      </a>
      <header class={styles.header}>
        <div class={styles.opener}>
          <Button look="quiet" aria-label="Open the navigation" onClick={() => setOverlay('navigation')}>
            <span aria-hidden="true">☰</span>
          </Button>
        </div>
        <a class={styles.brand} href={href('/overview')}>
          <img src={icon} width={26} height={26} alt="Memory Service" />
        </a>
        <OrganizationMenu />
        <div class={styles.space} />
        <div class={styles.palette}>
          <Button onClick={() => setOverlay('palette')}>
            Go to… <kbd>{isApple() ? '⌘K' : 'Ctrl K'}</kbd>
          </Button>
        </div>
        <AccountMenu onHelp={() => setOverlay('help')} />
      </header>
      <div class={styles.side}>
        <Navigation pages={pages} />
      </div>
      <main id="main" class={styles.main} tabIndex={-1}>
        <ConditionBanner />
        {children}
      </main>
      {overlay === 'navigation' && (
        <Dialog title="Pages" place="side" onClose={close}>
          <Navigation pages={pages} onChoose={close} />
        </Dialog>
      )}
      {overlay === 'palette' && <CommandPalette pages={pages} onClose={close} />}
      {overlay === 'help' && <ShortcutHelp onClose={close} />}
    </div>
  );
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

import { useLocation } from 'preact-iso';
import { usePlace } from '../data/organization.js';
import styles from './navigation.module.css';
import { type Page, pathOf } from './page.js';

interface NavigationProps {
  pages: readonly Page[];
  /** Called when a page is chosen. */
  onChoose?: () => void;
}

export function Navigation({ pages, onChoose }: NavigationProps) {
  const { href } = usePlace();
  const { path } = useLocation();
  return (
    <nav aria-label="Pages">
      <ul class={styles.list}>
        {pages
          .filter(({ isPersonal }) => !isPersonal)
          .map((page) => {
            const address = href(pathOf(page));
            const isCurrent = path === address || path.startsWith(`${address}/`);
            return (
              <li key={page.path}>
                <a class={styles.link} href={address} aria-current={isCurrent ? 'page' : undefined} onClick={onChoose}>
                  {page.title}
                </a>
              </li>
            );
          })}
      </ul>
    </nav>
  );
}

import { Button } from '../controls/button.js';
import styles from './load-more.module.css';

interface LoadMoreProps {
  /** Such as "of 1,204"; shown after the number of rows. */
  shown: string;
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}

/** How much of a list is shown, and the button for its next page. */
export function LoadMore({ shown, hasMore, isLoading, onMore }: LoadMoreProps) {
  return (
    <div class={styles.row}>
      <span role="status">{shown}</span>
      {hasMore && (
        <Button busy={isLoading} onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

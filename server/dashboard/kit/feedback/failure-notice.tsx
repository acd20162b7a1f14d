import { Button } from '../controls/button.js';
import { Countdown } from './countdown.js';
import { isRateLimited, toFailure } from './failure.js';
import styles from './failure-notice.module.css';

interface FailureNoticeProps {
  error: unknown;
  /** Shows a button if another attempt may succeed. */
  onRetry?: () => void;
  /** True while an attempt runs by itself after the wait that the service asked for. */
  isWaiting?: boolean;
}

/** Says what failed, by its code, with the id of the request and a way on. */
export function FailureNotice({ error, onRetry, isWaiting = false }: FailureNoticeProps) {
  const { title, text, code, requestId, mayRetry, retryAfterSeconds } = toFailure(error);
  return (
    <div class={styles.notice} role="alert">
      <p class={styles.title}>{title}</p>
      <p>{text}</p>
      {isRateLimited(error) && retryAfterSeconds !== undefined && (
        <p>
          <Countdown key={requestId} seconds={retryAfterSeconds} isAutomatic={isWaiting} />
        </p>
      )}
      {(code ?? requestId) !== undefined && (
        <p class={styles.ids}>
          {code !== undefined && <code>{code}</code>}
          {requestId !== undefined && (
            <span>
              Request <code>{requestId}</code>
            </span>
          )}
        </p>
      )}
      {onRetry && mayRetry && !isWaiting && (
        <div>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

import { useQueryClient } from '@tanstack/preact-query';
import { type Condition, useCondition } from '../data/condition.js';
import { Button } from '../kit/controls/button.js';
import styles from './condition-banner.module.css';

const TEXTS: Readonly<Record<Condition, string>> = {
  entitlement_required: 'This organization has no active subscription. You can read and search, but not write.',
  service_unavailable: 'The service is busy or a part of it does not answer. What you see may be old.',
};

/** Says on every page what limits the whole organization or service now. */
export function ConditionBanner() {
  const condition = useCondition();
  const queries = useQueryClient();
  return (
    <div role="status">
      {condition && (
        <div class={styles.banner}>
          <p>{TEXTS[condition]}</p>
          {condition === 'service_unavailable' && (
            <Button onClick={() => void queries.invalidateQueries()}>Try again</Button>
          )}
        </div>
      )}
    </div>
  );
}

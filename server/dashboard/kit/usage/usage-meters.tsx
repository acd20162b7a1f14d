import type { UsageReport } from '@memory-service/sdk';
import { Meter } from '../display/meter.js';
import { Time } from '../display/time.js';
import { numberText } from '../text/number-text.js';
import { bytes } from './bytes.js';
import { projected } from './projection.js';
import styles from './usage-meters.module.css';

/** The usage of the period against the caps, and where it leads. */
export function UsageMeters({ usage: { period, ingest, search, storage } }: { usage: UsageReport }) {
  return (
    <div class={styles.meters}>
      <Metered label="Stored in this period" period={period} {...ingest} />
      <Metered label="Searches in this period" period={period} {...search} />
      {storage && <Meter label="Storage" {...storage} format={bytes} />}
      <p class={styles.muted}>
        Counting starts again <Time value={period.endsAt} />.
      </p>
    </div>
  );
}

interface MeteredProps {
  label: string;
  period: UsageReport['period'];
  used: number;
  cap: number | null;
}

function Metered({ label, period, used, cap }: MeteredProps) {
  const expected = projected(used, period, Date.now());
  const isTooMuch = cap !== null && expected !== undefined && expected > cap;
  return (
    <div>
      <Meter label={label} used={used} cap={cap} />
      {expected !== undefined && (
        <p class={isTooMuch ? styles.warning : styles.muted}>
          About {numberText(expected)} at the end of the period{isTooMuch && ', which is above the cap'}
        </p>
      )}
    </div>
  );
}

import { numberText } from '../text/number-text.js';
import styles from './meter.module.css';

interface MeterProps {
  label: string;
  used: number;
  /** Null if there is no limit. */
  cap: number | null;
  format?: (value: number) => string;
}

/** How close the colour of a warning is to the cap. */
const NEARLY_FULL = 0.8;

/** How much of a limit is used. */
export function Meter({ label, used, cap, format = numberText }: MeterProps) {
  const share = cap === null ? 0 : Math.min(1, used / Math.max(1, cap));
  return (
    <div class={styles.meter}>
      <div class={styles.words}>
        <span>{label}</span>
        <span class={styles.figures}>
          {format(used)}
          {cap === null ? ', no cap' : ` of ${format(cap)}`}
        </span>
      </div>
      {cap !== null && (
        <meter
          aria-label={label}
          class={share >= NEARLY_FULL ? styles.nearlyFull : ''}
          min={0}
          max={cap}
          value={Math.min(used, cap)}
        />
      )}
    </div>
  );
}

import type { ComponentChildren } from 'preact';
import { Button } from '../../kit/controls/button.js';
import { Select } from '../../kit/controls/field.js';
import { EmptyState } from '../../kit/feedback/data-state.js';
import styles from './integrations.module.css';

interface DeliveriesHeadingProps {
  /** Names the values. */
  label: string;
  values: readonly string[];
  /** Empty for all. */
  chosen: string;
  onChoose: (value: string) => void;
  isReading: boolean;
  onRefresh: () => void;
  children?: ComponentChildren;
}

/** The title of a list of deliveries, its filter, and its actions. */
export function DeliveriesHeading(props: DeliveriesHeadingProps) {
  const { label, values, chosen, onChoose, isReading, onRefresh, children } = props;
  const options = [{ value: '', label: 'All' }, ...values.map((value) => ({ value, label: value }))];
  return (
    <header class={styles.heading}>
      <h2>Deliveries</h2>
      <div class={styles.tools}>
        <div>
          <Select
            aria-label={label}
            options={options}
            value={chosen}
            onChange={({ currentTarget }) => onChoose(currentTarget.value)}
          />
        </div>
        {children}
        <Button busy={isReading} onClick={onRefresh}>
          Refresh
        </Button>
      </div>
    </header>
  );
}

interface NoDeliveriesProps {
  isFiltered: boolean;
  onClear: () => void;
  /** Says how to get a first delivery. */
  children: ComponentChildren;
}

export function NoDeliveries({ isFiltered, onClear, children }: NoDeliveriesProps) {
  if (!isFiltered) {
    return (
      <EmptyState title="No deliveries yet">
        <p>{children}</p>
      </EmptyState>
    );
  }
  return <EmptyState title="No such deliveries" action={<Button onClick={onClear}>Show all</Button>} />;
}

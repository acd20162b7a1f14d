import styles from './integrations.module.css';

interface EventChoiceProps<Event extends string> {
  events: readonly Event[];
  chosen: readonly Event[];
  onChange: (chosen: Event[]) => void;
}

/** Lets people choose at least one of several events. */
export function EventChoice<Event extends string>({ events, chosen, onChange }: EventChoiceProps<Event>) {
  return (
    <fieldset class={styles.choice}>
      <legend>Events</legend>
      {events.map((event) => (
        <label key={event} class={styles.option}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ currentTarget }) =>
              onChange(events.filter((one) => (one === event ? currentTarget.checked : chosen.includes(one))))
            }
          />
          <code>{event}</code>
        </label>
      ))}
      {chosen.length === 0 && <p class={styles.error}>Choose at least one event.</p>}
    </fieldset>
  );
}

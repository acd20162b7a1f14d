import { absoluteTime, relativeTime } from './time-text.js';

interface TimeProps {
  /** RFC 3339, as the service sends it. */
  value: string;
  /** Shows the date and time instead of the distance to now. */
  absolute?: boolean;
}

/** A time, by its distance to now. The other form is in its title. */
export function Time({ value, absolute = false }: TimeProps) {
  const [shown, title] = [relativeTime(value, Date.now()), absoluteTime(value)];
  return (
    <time datetime={value} title={absolute ? shown : title}>
      {absolute ? title : shown}
    </time>
  );
}

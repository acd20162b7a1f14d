import { absoluteTime, relativeTime } from './time-text.js';

interface TimeProps {
  /** RFC 3339, as the service sends it. */
  value: string;
  /** Shows the date and time instead of the distance to now. */
  absolute?: boolean;
}

/** A time, by its distance to now. The other form is in its title, which is made when the pointer asks for it. */
export function Time({ value, absolute = false }: TimeProps) {
  const shown = absolute ? absoluteTime(value) : relativeTime(value, Date.now());
  return (
    <time
      datetime={value}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = absolute ? relativeTime(value, Date.now()) : absoluteTime(value);
      }}
    >
      {shown}
    </time>
  );
}

import { useEffect, useState } from 'preact/hooks';

interface CountdownProps {
  seconds: number;
  /** True if the next attempt starts by itself. */
  isAutomatic: boolean;
}

/** Counts down to the time when the service accepts requests again. */
export function Countdown({ seconds, isAutomatic }: CountdownProps) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const endsAt = Date.now() + seconds * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((endsAt - Date.now()) / 1_000))), 500);
    return () => clearInterval(timer);
  }, [seconds]);
  if (left === 0) return <span>{isAutomatic ? 'Trying again…' : 'You can try again now.'}</span>;
  return (
    <span role="timer" aria-live="off">
      {isAutomatic ? 'Trying again' : 'You can try again'} in {left} {left === 1 ? 'second' : 'seconds'}
    </span>
  );
}

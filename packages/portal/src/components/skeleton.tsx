/** A placeholder in the shape of the content, shown only after 300 ms: most responses arrive sooner. */

import { useEffect, useState } from 'preact/hooks';

const LATE_MS = 300;

export function Skeleton(props: {
  /** What is loading, for screen readers. */
  readonly label: string;
  /** How many lines of text or cards. */
  readonly lines?: number;
}) {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return <div class="loading" hidden />;
  return (
    <div class="card card-body stack loading" role="status">
      <span class="visually-hidden">{props.label}</span>
      {Array.from({ length: props.lines ?? 3 }, (_, index) => (
        <div class={`skeleton ${index === 0 ? 'tall short' : ''}`} key={index} />
      ))}
    </div>
  );
}

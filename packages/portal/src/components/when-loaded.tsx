/** What was loaded, or in its place that it is still loading, or why it is not there. */

import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-loaded.ts';
import { LoadError } from './notice.tsx';
import { Skeleton } from './skeleton.tsx';

export function WhenLoaded<Value>(props: {
  readonly loaded: Pick<Loaded<Value>, 'value' | 'error' | 'reload'>;
  /** What is being loaded, for screen readers, and in how many lines. */
  readonly loading: string;
  readonly lines: number;
  readonly failed: string;
  /** What still works when it failed. */
  readonly note?: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, error, reload } = props.loaded;
  if (value !== null) return <>{props.children(value)}</>;
  if (error === null) return <Skeleton label={props.loading} lines={props.lines} />;
  return (
    <LoadError title={props.failed} error={error} onRetry={reload}>
      {props.note}
    </LoadError>
  );
}

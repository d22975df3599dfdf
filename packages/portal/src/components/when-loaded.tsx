/** Shows a loaded value, or a placeholder while it loads, or its error. */

import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-loaded.ts';
import { LoadError } from './notice.tsx';
import { Skeleton } from './skeleton.tsx';

export function WhenLoaded<Value>(props: {
  readonly loaded: Pick<Loaded<Value>, 'value' | 'error' | 'reload'>;
  /** What is loading, for screen readers, and the placeholder's number of lines. */
  readonly loading: string;
  readonly lines: number;
  readonly failed: string;
  /** What still works after a failure. */
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

/** A picture as a file of the browser. */

import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import { barText } from './bar-words.ts';

/** `tapeloom-es.c.0-5-min-2026-11-17-1413.png`, in UTC. */
export function pictureName(spec: ChartSpec, at: Date, ending: string): string {
  const words = `${spec.instrument} ${barText(spec.bar)}`
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  const time = at.toISOString().slice(0, 16).replace('T', '-').replace(':', '');
  return `tapeloom-${words}-${time}.${ending}`;
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

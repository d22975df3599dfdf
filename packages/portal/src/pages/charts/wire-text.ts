/** A message of the stream as text. */

import type { WireMessage } from './wire-log.ts';

/** As JSON; of a snapshot only how many objects it has, and the newest. */
export function wireText({ update }: WireMessage): string {
  const shown =
    update.t === 'snapshot'
      ? {
          t: update.t,
          cursor: update.cursor,
          objects: update.objects.length,
          newest: update.objects.at(-1),
        }
      : update;
  return JSON.stringify(shown, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

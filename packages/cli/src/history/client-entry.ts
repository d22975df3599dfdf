/** Converts a result of the client library into the entry that the service wrote. */

import type { HistoryEntry } from '@tapeloom/client';
import type { Entry } from '../entries/entry.ts';

export function entryOf(result: HistoryEntry<string>): Entry {
  switch (result.t) {
    case 'upsert': {
      const { t, cursor, object } = result;
      const { id, final, ts, data } = object;
      return { t, cursor, id, final, ts: String(ts), data };
    }
    case 'remove': {
      const { t, cursor, id, final, ts } = result;
      return { t, cursor, id, final, ts: String(ts) };
    }
    case 'snapshot': {
      const { t, cursor, objects } = result;
      const items = objects.map(({ id, final, ts, data }) => ({ id, final, ts: String(ts), data }));
      return { t, cursor, items };
    }
    default:
      throw new RangeError(`unknown result: ${JSON.stringify(result satisfies never)}`);
  }
}

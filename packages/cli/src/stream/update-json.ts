/** Updates as JSON lines with the fields of the stream protocol (docs/protocol.md), without the subscription's name. */

import type { IndicatorObject, SubscriptionState, Update } from '@tapeloom/client';

export function updateJson(update: Update<string>): string {
  return JSON.stringify(wireOf(update), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

export function subscribedJson(instrument: string, state: SubscriptionState<string>): string {
  const { contract, tickSizeNanos } = state;
  return JSON.stringify({ t: 'subscribed', instrument, contract, tickSizeNanos });
}

function wireOf(update: Update<string>): object {
  switch (update.t) {
    case 'snapshot':
      return { t: update.t, cursor: update.cursor, items: update.objects.map(plain) };
    case 'upsert':
      return { t: update.t, cursor: update.cursor, ...plain(update.object) };
    case 'status': {
      const { t, state, lagMs, partialSince } = update;
      return { t, state, lagMs, ...(partialSince === null ? {} : { partialSince }) };
    }
    case 'notice': {
      const { t, kind, effectiveAt, instrument } = update;
      return {
        t,
        kind,
        ...(effectiveAt === null ? {} : { effectiveAt }),
        ...(instrument === null ? {} : { instrument }),
      };
    }
    case 'remove':
    case 'reset':
    case 'skipped':
      return update;
    default:
      return update satisfies never;
  }
}

function plain({ id, final, ts, data }: IndicatorObject<string>): object {
  return { id, final, ts, data };
}

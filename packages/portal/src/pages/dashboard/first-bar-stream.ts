/**
 * A stream that is opened for a single bar and closed after it. The session provides a token for this one connection. A
 * hidden page closes the connection, because an account may have only one.
 */

import type { StreamClient } from '@tapeloom/client/stream';
import { portalApi } from '../../api/portal-api.ts';
import { type ChartModel, ChartModels } from '../../footprint/chart-model.ts';

const FIRST_CHOICE = 'ES.c.0';
const WAIT_MS_MAX = 30_000;
/** Bars kept beside the newest. */
const BARS_KEPT = 12;
/** Ticks per row, the default. */
const GROUP = 1;
/** The close code for more connections than the plan allows. */
const TOO_MANY = 4029;

export interface ArrivedBar {
  readonly instrument: string;
  /** The start of the bar, in milliseconds since 1970. */
  readonly fromMs: number;
  readonly delta: number;
  readonly model: ChartModel;
  readonly priceText: (ticks: number) => string;
}

/** The account's connections are all in use. */
export class NoConnectionLeftError extends Error {}

/** Rejects with the client's own error, with `NoConnectionLeftError`, or when `signal` aborts. */
export async function firstBar(signal: AbortSignal): Promise<ArrivedBar> {
  const [{ StreamClient, dateOf, priceText }, instrument] = await Promise.all([
    import('@tapeloom/client/stream'),
    streamedName(signal),
  ]);
  await using client = new StreamClient({
    url: location.origin,
    token: async () => (await portalApi.streamToken()).token,
  });
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS_MAX)]);
  const arrived = async (): Promise<ArrivedBar> => {
    const subscription = client.subscribe({
      indicator: 'footprint',
      instrument,
      signal: bounded,
      keepFinal: BARS_KEPT,
    });
    for await (const _ of subscription) {
      const { objects, tickSizeNanos } = subscription.state;
      const bar = [...objects.values()].at(-1);
      if (bar === undefined || tickSizeNanos === null) continue;
      return {
        instrument,
        fromMs: dateOf(bar.ts).getTime(),
        delta: bar.data.delta,
        model: new ChartModels(GROUP).model(objects.values(), []),
        priceText: (ticks) => priceText(ticks, tickSizeNanos),
      };
    }
    throw new Error('the stream ended before a bar came');
  };
  return await Promise.race([arrived(), refused(client)]);
}

/** The client would retry for two minutes; here the rejection is immediate. */
function refused(client: StreamClient): Promise<never> {
  return new Promise((_resolve, reject) => {
    client.on('connection', ({ cause }) => {
      if (cause?.code === TOO_MANY) reject(new NoConnectionLeftError());
    });
  });
}

/** An instrument whose market is open, if there is one; aliases before contracts. */
async function streamedName(signal: AbortSignal): Promise<string> {
  const { instruments } = await portalApi.instruments({ signal });
  const named = instruments.flatMap(({ alias, status }) =>
    alias === null ? [] : [{ alias, isOpen: status === 'open' }],
  );
  const first = named.find(({ alias }) => alias === FIRST_CHOICE);
  if (first?.isOpen === true) return FIRST_CHOICE;
  return named.find(({ isOpen }) => isOpen)?.alias ?? first?.alias ?? FIRST_CHOICE;
}

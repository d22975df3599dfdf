/**
 * A stream that is opened for a single bar and closed after it. The session provides a token for this one connection. A
 * hidden page closes the connection, because an account may have only one.
 */

import { ChartContent } from '@tapeloom/charts/series/chart-content';
import type { IndicatorObject, StreamClient } from '@tapeloom/client/stream';
import { portalApi } from '../../api/portal-api.ts';
import { type Footprint, footprintSpec } from '../../components/footprint-picture.ts';

const FIRST_CHOICE = 'ES.c.0';
const WAIT_MS_MAX = 30_000;
/** Bars kept beside the newest. */
const BARS_KEPT = 12;
/** The close code for more connections than the plan allows. */
const TOO_MANY = 4029;

export interface ArrivedBar {
  readonly instrument: string;
  /** The start of the bar, in milliseconds since 1970. */
  readonly fromMs: number;
  readonly delta: number;
  readonly footprint: Footprint;
}

/** The account's connections are all in use. */
export class NoConnectionLeftError extends Error {}

/** Rejects with the client's own error, with `NoConnectionLeftError`, or when `signal` aborts. */
export async function firstBar(signal: AbortSignal): Promise<ArrivedBar> {
  const [{ StreamClient, dateOf }, instrument] = await Promise.all([
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
        footprint: footprintOf(instrument, objects.values(), tickSizeNanos),
      };
    }
    throw new Error('the stream ended before a bar came');
  };
  return await Promise.race([arrived(), refused(client)]);
}

/** Only some bars of the session: nothing is summed from them. */
function footprintOf(
  name: string,
  bars: Iterable<IndicatorObject<'footprint'>>,
  tickSizeNanos: number,
): Footprint {
  const content = new ChartContent();
  content.bars.putAll(bars);
  content.instrument = { name, contract: name, title: name, tickSizeNanos, timeZone: null };
  return { content, spec: footprintSpec(name, {}, { panes: [], side: 'none', layers: [] }) };
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

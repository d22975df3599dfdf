/**
 * A stream that is opened to see one bar, and closed with it. Its token comes from the session, and is good for this one
 * connection; whoever hides the page gives the connection up, for an account may have only one.
 */

import { portalApi } from '../../api/portal-api.ts';

const FIRST_CHOICE = 'ES.c.0';
const WAIT_MS_MAX = 30_000;

export interface ArrivedBar {
  readonly instrument: string;
  /** When the bar began, in milliseconds. */
  readonly fromMs: number;
  readonly delta: number;
}

/** Rejects with the client's own error, or when `signal` aborts. */
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
  const subscription = client.subscribe({
    indicator: 'delta',
    instrument,
    signal: bounded,
    keepFinal: 1,
  });
  for await (const _ of subscription) {
    const bar = [...subscription.state.objects.values()].at(-1);
    if (bar === undefined) continue;
    return { instrument, fromMs: dateOf(bar.ts).getTime(), delta: bar.data.close - bar.data.open };
  }
  throw new Error('the stream ended before a bar came');
}

/** What is open now, if it can be; names that roll before contracts. */
async function streamedName(signal: AbortSignal): Promise<string> {
  const { instruments } = await portalApi.instruments({ signal });
  const named = instruments.flatMap(({ alias, status }) =>
    alias === null ? [] : [{ alias, isOpen: status === 'open' }],
  );
  const first = named.find(({ alias }) => alias === FIRST_CHOICE);
  if (first?.isOpen === true) return FIRST_CHOICE;
  return named.find(({ isOpen }) => isOpen)?.alias ?? first?.alias ?? FIRST_CHOICE;
}

/**
 * Prints footprint bars as they finish.
 *
 *   TAPELOOM_KEY=svc_live_… node footprints.ts BTC.c.0
 *
 * A second argument stops it after so many bars.
 */

import { dateOf, type IndicatorObject, priceText, TapeloomClient } from '@tapeloom/client';

const { TAPELOOM_KEY: key, SERVICE_URL: url = 'http://127.0.0.1:8080' } = process.env;
if (key === undefined) throw new Error('Set TAPELOOM_KEY to an API key of yours.');
const [instrument = 'BTC.c.0', count = 'Infinity'] = process.argv.slice(2);

const client = new TapeloomClient({ url, key });
// "confirmed": only bars that will never change again.
const bars = client.subscribe({ indicator: 'footprint', instrument, mode: 'confirmed' });

let printed = 0;
// Lost connections are the client's business: it comes back, goes on from its cursor, and this loop sees
// neither a gap nor a double.
for await (const update of bars) {
  if (update.t === 'snapshot') console.log(`# ${update.objects.length} bars are there already`);
  if (update.t !== 'upsert') continue;
  console.log(lineOf(update.object));
  printed += 1;
  if (printed >= Number(count)) break;
}
// Ends the subscription and closes the connection, so that the program can end.
await client.close();

function lineOf({ id, ts, data }: IndicatorObject<'footprint'>): string {
  // Prices are whole ticks; what a tick is worth came with the subscription.
  const price = (ticks: number) => priceText(ticks, bars.state.tickSizeNanos ?? 0);
  const { close, volume, delta, poc } = data;
  return [
    id.padEnd(18),
    dateOf(ts).toISOString().slice(0, 16),
    `close ${price(close)}`,
    `volume ${String(volume).padStart(6)}`,
    `delta ${String(delta).padStart(6)}`,
    `most at ${poc === null ? '-' : price(poc)}`,
  ].join('  ');
}

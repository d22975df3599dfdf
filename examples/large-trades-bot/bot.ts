/**
 * A bot that follows large trades, on paper: somebody buys a lot, it buys one; somebody sells, it sells one.
 *
 *   TAPELOOM_KEY=svc_live_… node bot.ts BTC.c.0 orders.ndjson
 *
 * It may lose its connection or be killed at any moment. It comes back to the place of its last order, and
 * the id of a large trade is the reason of its order, so there is never a second one for the same trade.
 */

import { nsOf, priceText, TapeloomClient, type Upsert } from '@tapeloom/client';
import { PaperAccount } from './paper-account.ts';

/** A trade that is older is yesterday's news: it is noted and not followed. */
const AGE_SECONDS_MAX = 30;

const { TAPELOOM_KEY: key, SERVICE_URL: url = 'http://127.0.0.1:8080' } = process.env;
if (key === undefined) throw new Error('Set TAPELOOM_KEY to an API key of yours.');
const [instrument = 'BTC.c.0', path = 'orders.ndjson', minSize = '0'] = process.argv.slice(2);

const account = new PaperAccount(path);
const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort());

const client = new TapeloomClient({ url, key });
const trades = client.subscribe({
  indicator: 'large-trades',
  instrument,
  // 0: what is large is told by the session before.
  params: { minSize: Number(minSize) },
  from: account.cursor === null ? 'live' : { cursor: account.cursor },
  signal: stopped.signal,
});

/** Trades that were there before the bot was: it does not act on them when they grow. */
let earlier = new Set<string>();

try {
  for await (const update of trades) {
    switch (update.t) {
      case 'snapshot':
        // The start, or a place that cannot be gone on from. What is in it happened without us.
        earlier = new Set(update.objects.map(({ id }) => id));
        console.log(`# ${update.objects.length} large trades before, position ${account.position}`);
        break;
      case 'upsert':
        follow(update);
        break;
      case 'skipped':
        console.error(`# too slow: ${update.versions} versions were left out`);
        break;
    }
  }
} catch (error) {
  if (!stopped.signal.aborted) throw error;
} finally {
  await client.close();
}

/** A large trade is shown as soon as it is large, and then grows: only its first version is followed. */
function follow({ object, cursor }: Upsert<'large-trades'>): void {
  const { id, ts, data } = object;
  if (earlier.has(id) || account.has(id)) return;
  const ageNs = nsOf(new Date()) - ts;
  if (ageNs > BigInt(AGE_SECONDS_MAX) * 1_000_000_000n) {
    earlier.add(id);
    console.log(`# ${id} is too old to be followed`);
    return;
  }
  const side = data.side === 1 ? 'buy' : 'sell';
  account.place({ reason: id, cursor, side, lots: 1, price: data.last });
  const price = priceText(data.last, trades.state.tickSizeNanos ?? 0);
  console.log(
    `${side.padEnd(4)} 1 at ${price} after ${data.size} lots (${id}), position ${account.position}`,
  );
}

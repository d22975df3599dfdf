/**
 * How much is usually traded at this time of the day, and how much is it now? A month of bars and the present
 * in one loop, in steps as in a notebook.
 *
 *   TAPELOOM_KEY=svc_live_… node volume-by-hour.ts BTC.c.0 30
 *
 * A third argument stops it after so many bars of the present.
 */

import { dateOf, TapeloomClient, TapeloomError } from '@tapeloom/client';

const { TAPELOOM_KEY: key, SERVICE_URL: url = 'http://127.0.0.1:8080' } = process.env;
if (key === undefined) throw new Error('Set TAPELOOM_KEY to an API key of yours.');
const [name = 'BTC.c.0', days = '30', count = 'Infinity'] = process.argv.slice(2);
const client = new TapeloomClient({ url, key });

// 1. What to ask for: bars of five minutes.
//    An alias may have meant another contract a month ago; this is about the one it means today.
const { symbol } = await client.instrument(name);
const query = {
  indicator: 'bars',
  instrument: symbol,
  params: { size: 300, session: 'utc' },
  mode: 'confirmed',
} as const;

// 2. Since when, and what that costs.
//    A range with days of which there is no data is refused, and they are named: begin after the last.
const DAY_MS = 86_400_000;
const monthAgo = new Date(Math.floor(Date.now() / DAY_MS - Number(days)) * DAY_MS);
const missing = await missingDays(monthAgo);
const from = missing.length === 0 ? monthAgo : new Date(Date.parse(missing.at(-1)!) + DAY_MS);
const { computeUnits, remainingComputeUnits } = await client.estimate({ ...query, from });
console.log(`${symbol} since ${dayText(from)}: ${computeUnits} of ${remainingComputeUnits} units`);

// 3. The past, then the present: one loop, without a gap and without a double.
const hours = Array.from({ length: 24 }, () => ({ bars: 0, volume: 0 }));
const bars = client.joined({ ...query, from, limit: 10_000 });
let isDrawn = false;
let shown = 0;
for await (const update of bars) {
  if (bars.phase === 'live' && !isDrawn) {
    isDrawn = true;
    drawHours();
  }
  if (update.t !== 'upsert') continue;
  const { ts, data } = update.object;
  const hour = dateOf(ts).getUTCHours();
  if (isDrawn) {
    drawRow(
      dateOf(ts).toISOString().slice(11, 16),
      data.volume,
      `usually ${usual(hour).toFixed(1)}`,
    );
    shown += 1;
  }
  hours[hour]!.bars += 1;
  hours[hour]!.volume += data.volume;
  if (shown >= Number(count)) break;
}
await client.close();

/** Lots of a bar in this hour of the day, on average. */
function usual(hour: number): number {
  const { bars, volume } = hours[hour]!;
  return bars === 0 ? 0 : volume / bars;
}

function drawHours(): void {
  const total = hours.reduce((sum, { bars }) => sum + bars, 0);
  console.log(`\nLots in five minutes, by hour (UTC), of ${total} bars:`);
  for (const hour of hours.keys()) drawRow(`${String(hour).padStart(2, '0')}:00`, usual(hour), '');
  console.log('\nNow:');
}

/** A row of a chart, as long as the busiest hour allows. */
function drawRow(label: string, value: number, note: string): void {
  const busiest = Math.max(1, ...hours.keys().map(usual));
  const eighths = Math.round(Math.min(value / busiest, 1.5) * 40 * 8);
  const row = '█'.repeat(eighths >> 3) + ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths & 7]!;
  console.log(`${label} ${value.toFixed(1).padStart(8)} ${row} ${note}`.trimEnd());
}

async function missingDays(start: Date): Promise<readonly string[]> {
  try {
    return (await client.estimate({ ...query, from: start })).missingDays;
  } catch (error) {
    if (error instanceof TapeloomError && error.code === 'NOT_COVERED') return error.missingDays;
    throw error;
  }
}

function dayText(day: Date): string {
  return day.toISOString().slice(0, 10);
}

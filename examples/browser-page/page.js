/**
 * A live footprint in a page, without a framework: the client keeps the state of the subscription up to
 * date, whatever happens to the connection, and the page draws that state whenever it has changed.
 *
 * `/?instrument=ES.c.0&size=300&group=4` shows another market, bars of five minutes, four ticks a row.
 */

import { dateOf, priceText, StreamClient } from '@tapeloom/client/stream';
import { FootprintChart, signed } from './footprint-chart.js';

const BARS_KEPT = 60;

const element = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
const instrument = asked.get('instrument') ?? 'BTC.c.0';
const size = Number(asked.get('size') ?? 60);
const group = Number(asked.get('group') ?? 1);

const client = new StreamClient({
  url: document.querySelector('meta[name=tapeloom-service]').content,
  // A token is good for one connection. The client asks for a new one whenever it reconnects.
  token: async () => {
    const answer = await fetch('/stream-token', { method: 'POST' });
    if (!answer.ok) throw new Error(`The backend gave no token: ${answer.status}`);
    return (await answer.json()).token;
  },
});
const footprint = client.subscribe({
  indicator: 'footprint',
  instrument,
  params: { size, group },
  keepFinal: BARS_KEPT,
});

const chart = new FootprintChart(element('chart'));
element('instrument').textContent = instrument;
element('settings').textContent =
  `footprint · ${size} s a bar · ${group} tick${group === 1 ? '' : 's'} a row`;

/** Many changes between two frames of the screen are drawn once. */
let isScheduled = false;
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

function draw() {
  const { objects, tickSizeNanos, contract, status } = footprint.state;
  const bars = [...objects.values()];
  const last = bars.at(-1);
  const isOpen = client.connection === 'open';
  show('state', isOpen ? (status ?? 'waiting') : client.connection);
  element('state').dataset.state = isOpen ? status : client.connection;
  if (last === undefined || tickSizeNanos === null) return;
  const price = (ticks) => priceText(ticks, tickSizeNanos);
  if (contract !== null && contract !== instrument)
    show('instrument', `${instrument} · ${contract}`);
  show('price', price(last.data.close));
  show('volume', String(last.data.volume));
  show('delta', signed(last.data.delta));
  show('count', String(bars.length));
  element('delta').className = last.data.delta < 0 ? 'sold' : 'bought';
  element('chart').ariaLabel = `Footprint of the newest bars, the last one of ${timeText(last.ts)}`;
  chart.draw({ bars, group, priceText: price, timeText });
}

function show(id, text) {
  element(id).textContent = text;
}

function timeText(ns) {
  return `${dateOf(ns).toISOString().slice(11, 16)} UTC`;
}

for (const kind of ['snapshot', 'upsert', 'remove', 'reset', 'status'])
  footprint.on(kind, schedule);
client.on('connection', schedule);
addEventListener('resize', schedule);
schedule();

// Never rejects: null after a close of ours, otherwise why the subscription has ended for good.
const error = await footprint.ended;
if (error !== null) {
  show('state', `${error.code}: ${error.message}`);
  element('state').dataset.state = 'stopped';
}

/**
 * Reads an export in a browser and draws its closing prices. Exports are packed with zstd. Where the browser
 * cannot expand that by itself the client takes a decoder that it is handed: here `fzstd`, 8 kB, which many
 * others could replace.
 *
 * `/?instrument=ES.c.0&from=2026-11-12&to=2026-11-13` shows another market or day.
 */

import { RestClient } from '@tapeloom/client';
import { decompress } from 'fzstd';

const asked = new URLSearchParams(location.search);
const DAY_MS = 86_400_000;
const dayBefore = (days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const query = {
  indicator: 'bars',
  instrument: asked.get('instrument') ?? 'BTC.c.0',
  from: asked.get('from') ?? dayBefore(1),
  to: asked.get('to') ?? dayBefore(0),
};

const client = new RestClient({
  // The page's own backend, which adds the key. The session of the user goes along, so that it knows for whom.
  url: location.origin,
  fetch: (address, init) => fetch(address, { ...init, credentials: 'same-origin' }),
  decompressZstd: decompress,
});

const element = (id) => document.getElementById(id);
element('title').textContent = `${query.instrument}, ${query.from} to ${query.to}`;
try {
  const closes = [];
  for await (const line of client.export(query)) {
    if (line.t === 'upsert' && line.object.final) closes.push(line.object.data.close);
  }
  element('closes').setAttribute('d', pathOf(closes));
  element('told').textContent = `${closes.length} bars`;
} catch (error) {
  element('told').textContent = error.message;
}

/** A line from the left edge to the right one, in a box of 100 by 100. */
function pathOf(closes) {
  const [low, high] = [Math.min(...closes), Math.max(...closes)];
  const points = closes.map((close, index) => {
    const x = (100 * index) / Math.max(1, closes.length - 1);
    return `${x.toFixed(2)} ${(95 - (90 * (close - low)) / Math.max(1, high - low)).toFixed(2)}`;
  });
  return `M${points.join('L')}`;
}

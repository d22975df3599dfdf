/**
 * Live feeds, part by part: pushed trades through the whole service, the reading of every venue's messages, a venue
 * through the whole service, a hole beside the venue's own limits, and memory over a day.
 *
 * `npm run bench -- feeds [parts]` runs the named parts, or all.
 */

import { loadAverage } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import type { RunFeedsPart } from './feeds-part.ts';
import { hole } from './hole-part.ts';
import { memory } from './memory-part.ts';
import { parsing } from './parsing-part.ts';
import { pushed } from './pushed-part.ts';
import { venue } from './venue-part.ts';

const PARTS: Readonly<Record<string, RunFeedsPart>> = { pushed, parsing, venue, hole, memory };

export const run: Bench = async (words) => {
  const names = words.length === 0 ? Object.keys(PARTS) : words;
  const unknown = names.find((name) => !(name in PARTS));
  if (unknown !== undefined) {
    throw new RangeError(
      `no part is called ${unknown}; there are ${Object.keys(PARTS).join(', ')}`,
    );
  }
  const loadBefore = loadAverage();
  const results = [];
  for (const name of names) {
    console.error(`measuring: ${name}`);
    results.push([name, await PARTS[name]!()] as const);
  }
  return {
    title: 'Live feeds',
    columns: ['what', 'measured', 'beside'],
    rows: results.flatMap(([, { rows }]) => rows),
    notes: [
      ...results.flatMap(([, { notes }]) => notes),
      `Load average ${loadBefore} before, ${loadAverage()} after.`,
    ],
    json: Object.fromEntries(results.map(([name, { json }]) => [name, json])),
  };
};

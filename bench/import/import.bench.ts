/**
 * The speed of reading external files, part by part, each beside a bare equivalent in the same run.
 *
 * `npm run bench -- import [parts]` runs the named parts, or all.
 */

import { loadAverage } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { csv } from './csv-part.ts';
import { dbn } from './dbn-part.ts';
import type { ImportPart } from './import-part.ts';
import { table } from './table-part.ts';

const PARTS: Readonly<Record<string, ImportPart>> = { dbn, csv, table };

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
    title: 'Reading files of others, one thread',
    columns: ['what', 'million/s', 'beside', 'million/s', 'share', 'target', ''],
    rows: results.flatMap(([, { rows }]) => rows),
    notes: [
      ...results.flatMap(([, { notes }]) => notes),
      'Time is processor time of all threads; each number is the median of its rounds.',
      `Load of the machine: ${loadBefore} before, ${loadAverage()} after.`,
    ],
    json: Object.fromEntries(results.map(([name, { json }]) => [name, json])),
  };
};

/** All digests of the golden day at one scale. */

import { readFile } from 'node:fs/promises';
import type { Digests } from './golden-digest.ts';
import { historyDigests } from './golden-history.ts';
import { streamDigests } from './golden-stream.ts';
import { goldenTrades, SCALES } from './golden-tape.ts';

export type ScaleName = keyof typeof SCALES;

/** The recorded digests, by scale. */
export const DIGESTS_FILE = new URL('digests.json', import.meta.url);

export async function goldenDigests(name: ScaleName): Promise<Digests> {
  const trades = goldenTrades(SCALES[name]);
  return {
    ...(await historyDigests(trades)),
    ...(await streamDigests(trades, SCALES[name].liveSeconds)),
  };
}

export async function writtenDigests(): Promise<Record<ScaleName, Digests>> {
  return JSON.parse(await readFile(DIGESTS_FILE, 'utf8')) as Record<ScaleName, Digests>;
}

/** The thread of `feed-fuzz.ts`: reads all mutations, or until one ends it. Its progress is in shared memory. */

import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { definitionsOf } from '../../src/feeds/dbn/definition-file.ts';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import { toRefusal } from '../../src/feeds/guarded/feed-refusal.ts';
import { openFeed } from '../../src/feeds/open-feed.ts';
import type { FuzzWork } from './feed-fuzz.ts';
import { memorySource } from './memory-source.ts';
import { mutated } from './mutated.ts';

const { form, seed, mutations, samples, done } = workerData as FuzzWork;
const sentences = new Set<string>();

Atomics.add(done, 3, 1);
for (let index = done[0]!; index < mutations; index += 1) {
  // Each mutation has its own seed, so that one can be reproduced without its predecessors.
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ index);
  const refusal = await refusalOf(mutated(samples[index % samples.length]!, random));
  Atomics.add(done, refusal === null ? 1 : 2, 1);
  const words = refusal?.replaceAll(/\d+/g, '0') ?? null;
  if (words !== null && !sentences.has(words)) {
    sentences.add(words);
    parentPort!.postMessage(words);
  }
  Atomics.store(done, 0, index + 1);
}

/** The message of the rejection, as the commands' thread reports it; null when everything was read. */
async function refusalOf(bytes: Uint8Array): Promise<string | null> {
  try {
    const [source, path] = [memorySource(bytes), `/files/ESH6.${form}`];
    if (form === 'definitions') await Array.fromAsync(definitionsOf(source, path));
    else await Array.fromAsync((await openFeed(source, path, {})).trades(), ({ count }) => count);
    return null;
  } catch (error) {
    if (error instanceof FeedError) return error.message;
    const refusal = toRefusal(error);
    return refusal.t === 'unclear' ? 'unclear' : refusal.message;
  }
}

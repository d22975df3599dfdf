/** What a connection to Binance sends: its subscriptions, and a question that any server answers. */

import type { FeedContract, Venue } from '../feed.ts';

/** The server does not answer a frame above 4,096 bytes, and says nothing. */
const MESSAGE_BYTES_MAX = 3_840;
const ENVELOPE_BYTES = 64;
const QUESTION_ID = 1_000_000;
const QUESTION_EVERY_MS = 5_000;

/** Its answer proves that the connection is alive while nothing is traded. */
export const KEEP_ALIVE: NonNullable<Venue['keepAlive']> = {
  everyMs: QUESTION_EVERY_MS,
  message: JSON.stringify({ method: 'GET_PROPERTY', params: ['combined'], id: QUESTION_ID }),
};

/** They are numbered 1, 2, 3 … */
export function subscriptionsOf(contracts: readonly FeedContract[]): readonly string[] {
  return streamsByMessage(contracts).map((params, index) =>
    JSON.stringify({ method: 'SUBSCRIBE', params, id: index + 1 }),
  );
}

function streamsByMessage(contracts: readonly FeedContract[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  let bytes = MESSAGE_BYTES_MAX;
  for (const { venueSymbol } of contracts) {
    const stream = `${venueSymbol.toLowerCase()}@aggTrade`;
    const streamBytes = Buffer.byteLength(JSON.stringify(stream)) + 1;
    if (bytes + streamBytes > MESSAGE_BYTES_MAX) {
      found.push([]);
      bytes = ENVELOPE_BYTES;
    }
    found.at(-1)!.push(stream);
    bytes += streamBytes;
  }
  return found;
}

export function isSubscription(id: number): boolean {
  return id !== QUESTION_ID;
}

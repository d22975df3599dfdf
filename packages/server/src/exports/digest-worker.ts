/** The thread that hashes bodies, one call after another. */

import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { freeMemory } from '../platform/free-memory.ts';
import { ThreadDesk } from '../platform/thread-desk.ts';
import type { DigestShape, LeftPieces } from './digest-wire.ts';

const desk = new ThreadDesk<DigestShape>(parentPort!);
const bodies = new Map<number, Hash>();

desk.open({
  calls: {
    add: (body, pieces) => void hashed(body, pieces),
    end: (body, pieces) => {
      const hash = hashed(body, pieces);
      bodies.delete(body);
      return hash.digest('base64');
    },
  },
  obey: ({ body }) => bodies.delete(body),
});

function hashed(body: number, pieces: LeftPieces): Hash {
  const hash = bodies.getOrInsertComputed(body, () => createHash('sha256'));
  for (const piece of pieces) {
    hash.update(piece);
    freeMemory(piece.buffer);
  }
  return hash;
}

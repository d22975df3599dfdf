/** The thread that digests bodies: the parts of each in the order in which they come. */

import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { freeMemory } from '../platform/memory/free-memory.ts';
import { runInBackground } from '../platform/threads/background-thread.ts';
import { ThreadDesk } from '../platform/threads/thread-desk.ts';
import type { DigestedParts, DigestShape } from './digest-wire.ts';

runInBackground();
const bodies = new Map<number, Hash>();

new ThreadDesk<DigestShape>(parentPort!).open({
  calls: {
    add: (body, parts) => void digested(body, parts),
    end: (body, parts) => {
      const digest = digested(body, parts).digest('base64');
      bodies.delete(body);
      return digest;
    },
  },
  obey: ({ body }) => bodies.delete(body),
});

function digested(body: number, parts: DigestedParts): Hash {
  const hash = bodies.getOrInsertComputed(body, () => createHash('sha256'));
  for (const part of parts) {
    hash.update(part);
    freeMemory(part.buffer);
  }
  return hash;
}

/** Request ids: unguessable, unique, and easy to read out to support. */

import { randomFillSync } from 'node:crypto';

const ID_CHARACTERS = 32;
/** Filled for many ids at once: each call costs more than its bytes. */
const bytes = Buffer.alloc((ID_CHARACTERS / 2) * 256);
let drawn = '';
let used = 0;

export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomFillSync(bytes).toString('hex');
    used = 0;
  }
  used += ID_CHARACTERS;
  return `req_${drawn.slice(used - ID_CHARACTERS, used)}`;
}

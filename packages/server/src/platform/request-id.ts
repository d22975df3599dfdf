/** Request ids: unguessable, unique for ever, and easy to read out to support. */

import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes are drawn for many ids at once: each draw costs more than what it draws. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return `req_${pool.toString('hex', used - ID_BYTES, used)}`;
}

/** Request ids: unguessable, unique for ever, and easy to read out to support. */

import { randomUUID } from 'node:crypto';

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

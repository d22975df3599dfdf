/** A file name that changes with the content, so that the file may be cached for ever. */

import { createHash } from 'node:crypto';

export function hashedName(name: string, ending: string, content: Buffer | string): string {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return `assets/${name}-${digest}${ending}`;
}

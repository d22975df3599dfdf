/** The name of a file that changes with what is in it, so it may be kept for ever. */

import { createHash } from 'node:crypto';

export function hashedName(name: string, ending: string, content: Buffer | string): string {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return `assets/${name}-${digest}${ending}`;
}

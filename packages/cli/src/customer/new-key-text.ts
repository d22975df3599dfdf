/** Renders a new key, with the secret that is shown only once. */

import type { NewKey } from '@tapeloom/client';
import { nsText } from '../keys-table.ts';

export function newKeyText(key: NewKey): string {
  const expires = key.expiresAt === undefined ? '' : `, until ${nsText(key.expiresAt)}`;
  const what = `Key ${key.id} "${key.name}", ${key.environment}, for ${key.scopes.join(', ')}${expires}`;
  if (key.key === undefined) return `${what} was created before; its secret is not shown again.\n`;
  return `${what}:\n\n  ${key.key}\n\nSave it now: it is not shown again.\n`;
}

/** When a rate-limited request may be repeated, as a sentence. */

import { waitText as spanText } from '@tapeloom/core/person/wait-text';

export function waitText(seconds: number | null): string {
  return seconds === null ? 'Try again later.' : `Try again in ${spanText(seconds)}.`;
}

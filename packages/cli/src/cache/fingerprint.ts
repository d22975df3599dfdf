/** The fingerprint of the computation that this checkout runs, as a service started from it has it. */

import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { coreSource, engineFingerprint } from '@tapeloom/server/engine/engine-fingerprint';

export function ownFingerprint(): string {
  return engineFingerprint(coreSource(), publishedDefinitions());
}

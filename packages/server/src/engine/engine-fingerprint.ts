/**
 * Digests of the computation and of the catalogue. The first covers the declared versions of all indicators and none of
 * the code: it is the same from source and bundled, and code that leaves results alone does not change it.
 */

import { createHash } from 'node:crypto';
import { computationOf } from '@tapeloom/core/studies/computation';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';

/** Changes when the results of any indicator, or the set of indicators, change. */
export function engineFingerprint(
  definitions: readonly Pick<IndicatorDefinition, 'id' | 'version'>[],
  sharedVersion?: number,
): string {
  const computations = definitions.map((definition) => {
    return [definition.id, computationOf(definition, sharedVersion)] as const;
  });
  return digestOf(Object.fromEntries(computations));
}

/** Changes with any word of the definitions: clients then generate their types again. */
export function catalogueVersion(definitions: unknown): string {
  return digestOf(definitions).slice(0, 12);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** JSON with the keys of every object in order, so that equal values give equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Parameters of an indicator as short text, without those at their defaults. */

import { isDeepStrictEqual } from 'node:util';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { canonicalText, parseParams } from '@tapeloom/core/studies/params';

/** `bar=tick size=500`; "defaults" when nothing differs from them. */
export function paramsText(indicatorId: string, params: Params): string {
  const indicator = indicatorNamed(indicatorId);
  const said = new Map(Object.entries(params));
  if (indicator !== null) {
    for (const [name, value] of Object.entries(params)) {
      said.delete(name);
      if (!isDeepStrictEqual(completed(indicator, said), params)) said.set(name, value);
    }
  }
  const words = Object.keys(params).flatMap((name) =>
    said.has(name) ? [`${name}=${params[name]}`] : [],
  );
  return words.length === 0 ? 'defaults' : words.join(' ');
}

/** The parameters that results are cached under: all that affect the computation, none that only change the view. */
export function computingParams(indicator: Indicator, params: Params): Params {
  return JSON.parse(canonicalText(indicator, params)) as Params;
}

/** Null when they are not accepted. */
function completed(indicator: Indicator, said: ReadonlyMap<string, unknown>): Params | null {
  const parsed = parseParams(indicator, Object.fromEntries(said));
  return 'params' in parsed ? computingParams(indicator, parsed.params) : null;
}

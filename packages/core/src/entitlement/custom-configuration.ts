/**
 * What counts as one custom configuration: a contract, an indicator, and parameters that are not all at
 * their defaults, those of the view included. Parameters are canonical before they are compared, so no
 * spelling of the same values counts twice or hides a difference. The mode of a subscription is no part
 * of it, and an alias has become its contract before.
 */

import type { IndicatorDefinition, Params } from '../studies/indicator.ts';
import { isCustom } from '../studies/params.ts';

/**
 * The name of the configuration these canonical parameters make: equal exactly for what counts as one.
 * Null when everything is at its default, which counts as none.
 */
export function configurationOf(
  contractSymbol: string,
  indicator: IndicatorDefinition,
  params: Params,
): string | null {
  if (!isCustom(indicator, params)) return null;
  const values = indicator.parameters.map(({ name }) => params[name]);
  return JSON.stringify([contractSymbol, indicator.id, ...values]);
}

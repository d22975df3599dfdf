/**
 * Defines what counts as one custom configuration: a contract, an indicator, and parameters of which at least one is
 * not its default, view parameters included. Parameters are compared in canonical form, so the spelling of a value does
 * not matter. The mode does not count, and an alias was resolved to its contract before.
 */

import type { IndicatorDefinition, Params } from '../studies/indicator.ts';
import { isCustom } from '../studies/params.ts';

/** The key of the configuration, equal exactly for equal ones. Null if all parameters are at their defaults. */
export function configurationOf(
  contractSymbol: string,
  indicator: IndicatorDefinition,
  params: Params,
): string | null {
  if (!isCustom(indicator, params)) return null;
  const values = indicator.parameters.map(({ name }) => params[name]);
  return JSON.stringify([contractSymbol, indicator.id, ...values]);
}

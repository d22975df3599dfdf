/**
 * The indicators that the compiler knows: those of the catalogue this client was built with, or those of a file made by
 * `tapeloom-types` if your project includes one.
 */

import type { IndicatorTypes as TypesOfOurs } from '@tapeloom/protocol/indicators';

/** Empty. A file made by `tapeloom-types` adds the member `indicators` here. */
// biome-ignore lint/suspicious/noEmptyInterface: only an interface can be added to from outside.
export interface OwnTypes {}

/** The types of each indicator by its id: `params` and `data`. */
export type IndicatorTypes = OwnTypes extends { readonly indicators: infer Types }
  ? Types
  : TypesOfOurs;

export type IndicatorId = keyof IndicatorTypes & string;

/** The catalogue that types were made from. The file with the types exports it as `CATALOGUE_FINGERPRINT`. */
export interface CatalogueFingerprint {
  readonly version: string;
  readonly engineFingerprint: string;
}

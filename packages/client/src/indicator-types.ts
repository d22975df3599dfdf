/**
 * Which indicators there are for the compiler: those of the catalogue this client was made with, or those of a file
 * that `tapeloom-types` has made, wherever such a file is among the sources of a project.
 */

import type { IndicatorTypes as TypesOfOurs } from '@tapeloom/protocol/indicators';

/** Empty. A file made by `tapeloom-types` adds the member `indicators` here. */
// biome-ignore lint/suspicious/noEmptyInterface: only an interface can be added to from outside.
export interface OwnTypes {}

/** The types of each indicator, by its id: `params` and `data`. */
export type IndicatorTypes = OwnTypes extends { readonly indicators: infer Types }
  ? Types
  : TypesOfOurs;

export type IndicatorId = keyof IndicatorTypes & string;

/** From which catalogue types were made: `CATALOGUE_FINGERPRINT` of the file that has them. */
export interface CatalogueFingerprint {
  readonly version: string;
  readonly engineFingerprint: string;
}

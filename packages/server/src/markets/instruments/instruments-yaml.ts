/** Prints instruments as the text of a file, which can be read again. */

import { stringify } from 'yaml';
import type { DefinedInstruments } from './definitions.ts';

/** Products by the names of their datasets. */
export function instrumentsYaml(
  datasets: Readonly<Record<string, Pick<DefinedInstruments, 'products'>>>,
): string {
  const named = Object.entries(datasets).map(([name, { products }]) => [name, { products }]);
  // Without line folding and YAML anchors.
  return stringify(
    { datasets: Object.fromEntries(named) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/** The stage's text about its recording; the script reads it from the page. */

import type { GivenParams } from '@tapeloom/core/studies/indicator';

export interface StageText {
  readonly instrument: string;
  /** The names of the contract and its bars. */
  readonly name: string;
  readonly day: string;
  readonly params: GivenParams;
}

/** The stage's text about its recording; the script reads it from the page. */

export interface StageText {
  readonly instrument: string;
  /** The names of the contract and its bars. */
  readonly name: string;
  readonly day: string;
  readonly params: Readonly<Record<string, string | number>>;
}

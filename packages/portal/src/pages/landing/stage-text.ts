/** What the stage says of its recording; the script reads it from the page. */

export interface StageText {
  readonly instrument: string;
  /** Of the contract and its bars. */
  readonly name: string;
  readonly day: string;
  /** What was asked for. */
  readonly params: Readonly<Record<string, string | number>>;
}

/** Something that the page itself has to say, in the legend row of the chart in use. */

export interface DeskNotice {
  readonly text: string;
  readonly actions: readonly { readonly text: string; readonly run: () => void }[];
  /** Milliseconds; absent: until another one, or an action. */
  readonly lastsMs?: number;
}

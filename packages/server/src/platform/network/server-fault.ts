/** What keeps us from using a server that others run, in a sentence that names the setting to look at. */

export interface ServerFault {
  readonly sentence: string;
  /** Whether it may well pass by itself, as when a server comes up later than its node. */
  readonly isPassing: boolean;
}

export function lastingFault(sentence: string): ServerFault {
  return { sentence, isPassing: false };
}

export function passingFault(sentence: string): ServerFault {
  return { sentence, isPassing: true };
}

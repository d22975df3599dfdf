/** Why a server run by others cannot be used, in a sentence that names the setting to check. */

export interface ServerFault {
  readonly sentence: string;
  /** Whether it may pass by itself, for example because the server starts later than this node. */
  readonly isPassing: boolean;
}

export function lastingFault(sentence: string): ServerFault {
  return { sentence, isPassing: false };
}

export function passingFault(sentence: string): ServerFault {
  return { sentence, isPassing: true };
}

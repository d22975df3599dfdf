/**
 * Whether somebody was signed in here last time anybody knew. It is a hint for what to show first and what to ask for, no
 * more: the session itself is in a cookie that no script can read.
 */

import { storedChoice } from '../components/stored-choice.ts';

const NAME = 'tapeloom.signed-in';
const HINT = storedChoice(NAME);
/** Somebody, and it is not known yet who. */
const SOMEBODY = 'yes';

/** Whose pages this tab shows. */
let shown: string | null = null;

export function isProbablySignedIn(): boolean {
  return HINT.read() !== null;
}

/**
 * Hears what other tabs find out: `another` is somebody else than this tab shows, who has signed in in the same
 * browser. Returns how to stop.
 */
export function onOtherTab(listener: (who: 'nobody' | 'somebody' | 'another') => void): () => void {
  const changed = ({ key, newValue }: StorageEvent) => {
    if (key !== NAME) return;
    if (newValue === null) listener('nobody');
    else listener(newValue === SOMEBODY || isShown(newValue) ? 'somebody' : 'another');
  };
  addEventListener('storage', changed);
  return () => removeEventListener('storage', changed);
}

function isShown(accountId: string): boolean {
  return shown === null || shown === accountId;
}

/** The id of the account, where it is known; null: nobody is signed in. */
export function rememberSignedIn(accountId: string | null = SOMEBODY): void {
  if (accountId !== SOMEBODY) shown = accountId;
  HINT.write(accountId);
}

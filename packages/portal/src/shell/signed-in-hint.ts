/** Whether a visitor was signed in when last known. Only a hint: scripts cannot read the session's cookie. */

import { storedChoice } from '../components/stored-choice.ts';

const NAME = 'tapeloom.signed-in';
const HINT = storedChoice(NAME);
/** Signed in, with an account that is not known yet. */
const SOMEBODY = 'yes';

/** The account that this tab shows. */
let shown: string | null = null;

export function isProbablySignedIn(): boolean {
  return HINT.read() !== null;
}

/**
 * Reports other tabs' findings: `another` is an account other than this tab's. Returns a function that unsubscribes.
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

/** The account's id if known; null: there is no session. */
export function rememberSignedIn(accountId: string | null = SOMEBODY): void {
  if (accountId !== SOMEBODY) shown = accountId;
  HINT.write(accountId);
}

/**
 * Whether somebody was signed in here last time anybody knew. It is a hint for what to show first and what to ask for, no
 * more: the session itself is in a cookie that no script can read.
 */

import { storedChoice } from '../components/stored-choice.ts';

const NAME = 'tapeloom.signed-in';
const HINT = storedChoice(NAME);

export function isProbablySignedIn(): boolean {
  return HINT.read() === 'yes';
}

/** Hears what other tabs find out. Returns how to stop. */
export function onOtherTab(listener: (isSignedIn: boolean) => void): () => void {
  const changed = ({ key, newValue }: StorageEvent) => {
    if (key === NAME) listener(newValue === 'yes');
  };
  addEventListener('storage', changed);
  return () => removeEventListener('storage', changed);
}

export function rememberSignedIn(isSignedIn: boolean): void {
  HINT.write(isSignedIn ? 'yes' : null);
}

/**
 * Whether somebody was signed in here last time anybody knew. It is a hint for what to show first and what to ask for, no
 * more: the session itself is in a cookie that no script can read.
 */

import { storedChoice } from '../components/stored-choice.ts';

const HINT = storedChoice('tapeloom.signed-in');

export function isProbablySignedIn(): boolean {
  return HINT.read() === 'yes';
}

export function rememberSignedIn(isSignedIn: boolean): void {
  HINT.write(isSignedIn ? 'yes' : null);
}

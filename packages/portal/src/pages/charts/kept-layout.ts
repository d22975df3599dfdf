/** Which layout opens next time, and a shared one that waits while its reader signs in. */

import { storedChoice } from '../../components/stored-choice.ts';

/** As much as a link may have. */
const CHARS_MAX = 32_800;
/** As long as a sign-in link works. */
const KEPT_MS = 15 * 60_000;
const FRAGMENT = storedChoice('tapeloom.charts.shared');

export const LAST_LAYOUT = storedChoice('tapeloom.charts.layout');

export function keepFragment(fragment: string, nowMs: number): void {
  FRAGMENT.write(fragment.length <= 1 ? null : keptFragment(fragment, nowMs));
}

/** Returns it once; empty if there is none. */
export function takeFragment(nowMs: number): string {
  const text = FRAGMENT.read();
  FRAGMENT.write(null);
  return fragmentOf(text, nowMs);
}

export function keptFragment(fragment: string, nowMs: number): string {
  return `${nowMs} ${fragment.slice(0, CHARS_MAX)}`;
}

export function fragmentOf(text: string | null, nowMs: number): string {
  const [, at, fragment = ''] = /^(\d{1,16}) (#?[\w.~=-]+)$/.exec(text ?? '') ?? [];
  const ageMs = nowMs - Number(at);
  return ageMs >= 0 && ageMs <= KEPT_MS ? fragment : '';
}

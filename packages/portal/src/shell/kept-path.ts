/** Stores the wanted page during a sign-in, for the tab that the mailed link opens. It expires with the link. */

import { storedChoice } from '../components/stored-choice.ts';
import { AFTER_SIGN_IN, wantedPath } from './wanted-path.ts';

const KEPT_MS = 15 * 60_000;
const KEPT = storedChoice('tapeloom.wanted');

export function keepPath(path: string, nowMs: number): void {
  KEPT.write(path === AFTER_SIGN_IN ? null : keptText(path, nowMs));
}

/** Returns the stored path once. */
export function takeKeptPath(nowMs: number): string {
  const text = KEPT.read();
  KEPT.write(null);
  return keptPathOf(text, nowMs);
}

export function keptText(path: string, nowMs: number): string {
  return `${nowMs} ${path}`;
}

export function keptPathOf(text: string | null, nowMs: number): string {
  const [, at, path] = /^(\d{1,16}) (.*)$/.exec(text ?? '') ?? [];
  const ageMs = nowMs - Number(at);
  return ageMs >= 0 && ageMs <= KEPT_MS ? wantedPath(path) : AFTER_SIGN_IN;
}

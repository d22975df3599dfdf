/** The clock and the memory of a page. */

import type { ClientClock } from '@tapeloom/client/stream';
import type { TextStore } from '../feed/history-budget.ts';

export const PAGE_CLOCK: ClientClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

export const PAGE_STORE: TextStore = {
  get: (name) => localStorage.getItem(name),
  set: (name, text) => localStorage.setItem(name, text),
};

export function pageWallMs(): number {
  return Date.now();
}

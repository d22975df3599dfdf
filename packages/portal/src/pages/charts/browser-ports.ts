/** The browser behind the ports of the feed: time, the other tabs, whether the page is visible, and a store for texts. */

import type { TextStore } from '@tapeloom/charts/feed/history-budget';
import type { TabsPort, VisibilityPort } from '@tapeloom/charts/feed/shared-connection';
import type { ClientClock } from '@tapeloom/client/stream';
import { storedChoice } from '../../components/stored-choice.ts';

const CHANNEL = 'tapeloom.charts';

export const BROWSER_CLOCK: ClientClock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

export const BROWSER_TEXTS: TextStore = {
  get: (name) => storedChoice(`tapeloom.charts.${name}`).read(),
  set: (name, text) => storedChoice(`tapeloom.charts.${name}`).write(text),
};

export const BROWSER_VISIBILITY: VisibilityPort = {
  get isHidden() {
    return document.visibilityState === 'hidden';
  },
  listen: (hear) => {
    document.addEventListener('visibilitychange', hear);
    return () => document.removeEventListener('visibilitychange', hear);
  },
};

/** Null in browsers without Web Locks: then each tab stands for itself, and the service has the last word. */
export function browserTabs(): TabsPort | null {
  if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') return null;
  const channel = new BroadcastChannel(CHANNEL);
  return {
    hold: (name, signal) =>
      new Promise((resolve, reject) => {
        const held = (): Promise<void> => {
          const { promise, resolve: letGo } = Promise.withResolvers<void>();
          resolve(letGo);
          return promise;
        };
        navigator.locks.request(name, { signal }, held).catch(reject);
      }),
    isFree: async (name) =>
      (await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock !== null)) ===
      true,
    say: (text) => channel.postMessage(text),
    listen: (hear) => {
      const heard = ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') hear(data);
      };
      channel.addEventListener('message', heard);
      return () => channel.removeEventListener('message', heard);
    },
  };
}

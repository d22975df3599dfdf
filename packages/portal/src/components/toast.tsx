/** A toast confirms a user's action for five seconds. Errors that need action are notices instead. */

import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-shapes.ts';

const TOAST_MS = 5_000;
const TOASTS_MAX = 3;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly icon: IconName;
}

type Listener = (text: string, icon: IconName) => void;
const listeners = new Set<Listener>();
let lastId = 0;

/** `warn`: the action failed and can be retried in the same place. */
export function showToast(text: string, icon: 'check' | 'warn' = 'check'): void {
  for (const listener of listeners) listener(text, icon);
}

/** Where toasts appear; the shell has one. */
export function Toasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const listener: Listener = (text, icon) => {
      lastId += 1;
      const id = lastId;
      setToasts((now) => [...now, { id, text, icon }].slice(-TOASTS_MAX));
      const timer = setTimeout(() => {
        timers.delete(timer);
        setToasts((now) => now.filter((toast) => toast.id !== id));
      }, TOAST_MS);
      timers.add(timer);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      for (const timer of timers) clearTimeout(timer);
    };
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text, icon }) => (
        <span class="toast" key={id}>
          <Icon name={icon} />
          {text}
        </span>
      ))}
    </div>
  );
}

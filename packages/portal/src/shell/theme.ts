/**
 * The theme (light, dark or the system's) and the dyes of charts. The browser stores both; they are set on the root
 * element, as `theme.js` sets them before the first paint.
 */

import { type StoredChoice, storedChoice } from '../components/stored-choice.ts';

export type Theme = 'system' | 'light' | 'dark';
export type Dyes = 'woad' | 'classic';

const THEME = storedChoice('tapeloom.theme');
const DYES = storedChoice('tapeloom.dyes');
const listeners = new Set<() => void>();

export function themeNow(): Theme {
  const theme = THEME.read();
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** The theme in effect, chosen or the system's. */
export function isDarkNow(): boolean {
  const theme = themeNow();
  return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

export function chooseTheme(theme: Theme): void {
  keep('theme', THEME, theme === 'system' ? null : theme);
}

export function dyesNow(): Dyes {
  return DYES.read() === 'classic' ? 'classic' : 'woad';
}

export function chooseDyes(dyes: Dyes): void {
  keep('dyes', DYES, dyes === 'classic' ? dyes : null);
}

/** Null: the default. */
function keep(name: 'theme' | 'dyes', choice: StoredChoice, value: string | null): void {
  choice.write(value);
  if (value === null) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
  for (const listener of listeners) listener();
}

/** Calls the listener when colours change, so that a canvas can redraw. Returns a function that unsubscribes. */
export function onColoursChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}

/**
 * Light, dark or as the system has it; and the dyes of charts. Both are kept by the browser and put on the root element,
 * where `theme.js` puts them before the first paint.
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

/** What the eye sees, whoever chose it. */
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

/** Null: what is so unless somebody chooses. */
function keep(name: 'theme' | 'dyes', choice: StoredChoice, value: string | null): void {
  choice.write(value);
  if (value === null) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
  for (const listener of listeners) listener();
}

/** Hears when colours change, by a choice or by the system: a canvas must draw again. Returns how to stop. */
export function onColoursChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}

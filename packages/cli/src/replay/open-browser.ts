/**
 * Opens a page in the user's browser only if a person can see it: at a terminal with a display, neither in CI nor over
 * SSH. Otherwise, or if opening fails, the printed address suffices.
 */

import { spawn } from 'node:child_process';
import type { CommandIo } from '../command.ts';

export interface Desk extends Pick<CommandIo, 'env' | 'isTerminal'> {
  readonly platform: NodeJS.Platform;
  /** Whether the input is a terminal. */
  readonly isTyped: boolean;
}

/** The program and its first arguments; null: no person would see the page. */
export function browserProgram(desk: Desk): readonly [string, ...string[]] | null {
  const { env, platform, isTerminal, isTyped } = desk;
  const isSet = (name: string) => (env[name] ?? '') !== '';
  if (!isTerminal || !isTyped || isSet('CI')) return null;
  if (platform === 'darwin' || platform === 'win32') {
    if (isSet('SSH_CONNECTION')) return null;
    return platform === 'darwin' ? ['open'] : ['rundll32', 'url.dll,FileProtocolHandler'];
  }
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? ['xdg-open'] : null;
}

/** Does not wait for the browser, which outlives this process. */
export function openBrowser(link: string, io: CommandIo): void {
  const { env, isTerminal, input } = io;
  const { platform } = process;
  const program = browserProgram({ env, isTerminal, platform, isTyped: input.isTerminal });
  if (program === null) return;
  const [command, ...args] = program;
  const child = spawn(command, [...args, link], { stdio: 'ignore', detached: true });
  child.once('error', () => io.stderr(`${command} is not installed: open the address yourself.\n`));
  child.unref();
}

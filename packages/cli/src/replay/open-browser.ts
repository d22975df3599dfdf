/**
 * Opens a page in the user's browser, where somebody sits who can see it: at a terminal, with a screen, neither in CI nor
 * over SSH. Everywhere else, and where opening fails, the printed address is enough.
 */

import { spawn } from 'node:child_process';
import type { CommandIo } from '../command.ts';

export interface Desk extends Pick<CommandIo, 'env' | 'isTerminal'> {
  readonly platform: NodeJS.Platform;
  /** Whether somebody types there. */
  readonly isTyped: boolean;
}

/** The program and its first arguments; null: nobody would see it. */
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

/** Nobody waits for the browser, and it outlives this process. */
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

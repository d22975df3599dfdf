/** The only place that reads the process's environment, command line and configuration file. */

import { readFileSync } from 'node:fs';
import { asksForHelp } from './command-line.ts';
import { type Config, readConfig } from './config.ts';
import { helpText } from './help-text.ts';

/** The text to print for who asked for help, null for everybody else. */
export function askedHelp(): string | null {
  return asksForHelp(process.argv.slice(2)) ? helpText() : null;
}

export function loadConfig(): Config {
  return readConfig({
    env: process.env,
    args: process.argv.slice(2),
    readFile: (path) => readFileSync(path, 'utf8'),
  });
}

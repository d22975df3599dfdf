/** The only module that reads the process's environment and configuration file. */

import { readFileSync } from 'node:fs';
import { type Config, readConfig } from './config.ts';

export function loadConfig(args: readonly string[]): Config {
  return readConfig({
    env: process.env,
    args,
    readFile: readSettingsFile,
  });
}

/** For libraries that learn from the environment how the process was started. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function readSettingsFile(path: string): string {
  return readFileSync(path, 'utf8');
}

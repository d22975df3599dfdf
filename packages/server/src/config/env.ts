/** The only place that reads the process's environment, command line and configuration file. */

import { readFileSync } from 'node:fs';
import { type Config, readConfig } from './config.ts';

export function loadConfig(): Config {
  return readConfig({
    env: process.env,
    args: process.argv.slice(2),
    readFile: (path) => readFileSync(path, 'utf8'),
  });
}

/** `tapeloom config`: the settings as a start would read them, where each is written, and what is wrong with them. */

import { readFileSync } from 'node:fs';
import {
  ConfigError,
  type ExplainedSetting,
  explainConfig,
  readConfig,
} from '@tapeloom/server/config/config';
import { readServiceMarkets } from '@tapeloom/server/process/market-services';
import { readNamedFiles } from '@tapeloom/server/process/named-files';
import { StartRefusedError } from '@tapeloom/server/process/start-refused-error';
import { writeJson } from '../accounts/account-options.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { tableText } from '../table-text.ts';

export const configCommand: CommandBody = {
  usage: `Usage: tapeloom config [--set] [--json]

Shows every setting of the service with its value and where that is written: the environment, a file, or the default.
Secrets are not shown. Checks all of them as a start would, with the instruments, offers, pages and portal that they
name, and starts nothing. Ends with 2 when something is wrong. Run it with the environment of the service.

  --set               only settings that are not the default
  --json              JSON instead of text

Examples:
  tapeloom config
  tapeloom config --set
  tapeloom config --json | jq -r '.faults[]'`,
  run,
};

const readFile = (path: string) => readFileSync(path, 'utf8');

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { flags: ['set', 'json'], words: [] });
  const sources = { env: io.env, readFile };
  const settings = explainConfig(sources).filter(
    ({ source }) => !values.set || source !== 'default',
  );
  const faults = await faultsOf(sources);
  if (values.json) writeJson(io, { settings: settings.map(shownJson), faults });
  else {
    io.stdout(settings.length === 0 ? 'Every setting is the default.\n' : settingsTable(settings));
    for (const fault of faults) io.stderr(`${fault}\n`);
  }
  return faults.length === 0 ? ExitCode.ok : ExitCode.usage;
}

/** As the service finds them, one after the other: what cannot be read is not looked into. */
async function faultsOf(sources: {
  readonly env: CommandIo['env'];
  readonly readFile: (path: string) => string;
}): Promise<readonly string[]> {
  const faults: string[] = [];
  const noted = (error: unknown) => {
    if (error instanceof ConfigError) faults.push(...error.faults);
    else if (error instanceof StartRefusedError) faults.push(error.message);
    else throw error;
  };
  try {
    const config = readConfig({ ...sources, args: [] });
    try {
      readNamedFiles(config, readFile);
    } catch (error) {
      noted(error);
    }
    await readServiceMarkets({ config });
  } catch (error) {
    noted(error);
  }
  return faults;
}

function settingsTable(settings: readonly ExplainedSetting[]): string {
  return tableText(
    [{ title: 'setting' }, { title: 'value' }, { title: 'from' }],
    settings.map(({ variable, value, source }) => [variable, valueText(value, source), source]),
  );
}

function shownJson({ variable, key, value, source }: ExplainedSetting): Record<string, unknown> {
  const isHidden = value === null && source !== 'default';
  return { variable, key, source, ...(isHidden ? { isHidden } : { value }) };
}

function valueText(value: unknown, source: string): string {
  if (value === null) return source === 'default' ? '-' : '(hidden)';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(',');
  return JSON.stringify(value);
}

/** `tapeloom config`: the settings as the service would read them, with their sources and faults. */

import { type ExplainedSetting, explainConfig } from '@tapeloom/server/config/config';
import { hostFaults } from '@tapeloom/server/operations/start/listen-faults';
import { writeJson } from '../accounts/account-options.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { judgeSettings, settingsSources } from '../settings-faults.ts';
import { tableText } from '../table-text.ts';

export const configCommand: CommandBody = {
  usage: `Usage: tapeloom config [--set] [--json]

Shows every setting of the service with its value and its source: the environment, a file, or the default.
Secrets are not shown. Checks them all like a start of the service, with the addresses, instruments, offers, pages and portal
that they name, but starts nothing. Exits with 2 if there is an error. Run it with the environment of the service.

  --set               only settings that differ from the default
  --json              JSON instead of text

Examples:
  tapeloom config
  tapeloom config --set
  tapeloom config --json | jq -r '.faults[]'`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { flags: ['set', 'json'], words: [] });
  const sources = settingsSources(io.env);
  const settings = explainConfig(sources).filter(
    ({ source }) => !values.set || source !== 'default',
  );
  const judged = await judgeSettings(sources);
  const { config } = judged;
  const faults = [...judged.faults, ...(config === null ? [] : await hostFaults(config))];
  if (values.json) writeJson(io, { settings: settings.map(shownJson), faults });
  else {
    io.stdout(settings.length === 0 ? 'Every setting is the default.\n' : settingsTable(settings));
    for (const fault of faults) io.stderr(`${fault}\n`);
  }
  return faults.length === 0 ? ExitCode.ok : ExitCode.usage;
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

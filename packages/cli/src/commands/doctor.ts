/** `tapeloom doctor`: checks the machine, the settings and a running service, and gives advice. */

import { normalEmail } from '@tapeloom/core/person/email-address';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { type MarketSettings, sharedMarkets } from '@tapeloom/server/markets/read-markets';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { writeJson } from '../accounts/account-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { checkAddress } from '../doctor/check-address.ts';
import { checkCluster } from '../doctor/check-cluster.ts';
import { checkDirectory } from '../doctor/check-directory.ts';
import { checkInstruments } from '../doctor/check-instruments.ts';
import { checkClock, checkDisk, checkLimits } from '../doctor/check-machine.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { checkService, runningService } from '../doctor/check-service.ts';
import { type Finding, fault, ok, skipped } from '../doctor/finding.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { judgeSettings, settingsSources } from '../settings-faults.ts';
import { tableText } from '../table-text.ts';

export const doctorCommand: CommandBody = {
  usage: `Usage: tapeloom doctor [--mail-to <address>] [--json]

Checks settings, permissions, disk, clock, instruments, mail, proxies, limits and a running service, and shows what to do.
Changes nothing; a service may run or not. Exits with 1 if a check found an error. Run it with the environment
of the service, as its user or as root.

  --mail-to <address>  send a test mail there; without it only the login at the mail server is tested
  --json               JSON instead of text

Examples:
  tapeloom doctor
  tapeloom doctor --mail-to me@example.com
  tapeloom doctor --json | jq '.findings[] | select(.outcome == "error")'`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: ['mail-to'], flags: ['json'], words: [] });
  const findings = await examine(io, readMailTo(values['mail-to']));
  const isWell = findings.every(({ outcome }) => outcome !== 'error');
  if (values.json) writeJson(io, { isWell, findings });
  else io.stdout(findingsText(findings));
  return isWell ? ExitCode.ok : ExitCode.failure;
}

function readMailTo(text: string | undefined): string | null {
  if (text === undefined) return null;
  const address = normalEmail(text);
  if (address === null) throw new UsageError(`--mail-to must be an e-mail address; got ${text}`);
  return address.email;
}

async function examine(io: CommandIo, mailTo: string | null): Promise<readonly Finding[]> {
  const { faults, config, markets } = await judgeSettings(settingsSources(io.env));
  const settings =
    faults.length === 0
      ? [ok('settings', 'all are valid, including the files that they name')]
      : faults.map((one) =>
          fault('settings', one, 'Correct it; tapeloom config shows all of them.'),
        );
  if (config === null) return settings;
  const note = runningService(config.data);
  const now = createClock({ kind: 'system' }).now();
  const datasets = markets?.live.map((one) => openMarket(one).dataset) ?? null;
  return [
    ...settings,
    ...checkDirectory(config.data),
    ...(await checkService(config, note)),
    ...(datasets === null ? [] : [await checkDisk(config, datasets)]),
    ...(datasets === null ? [] : await checkClock(config, datasets, note)),
    ...(markets === null ? [] : await checkInstruments(config, markets, now)),
    ...(await checkMail(config, mailTo, io.signal)),
    ...(await checkAddress(config, note)),
    ...checkLimits(note),
    ...(config.stripeKey === null && config.paddleKey === null ? [] : [PAYMENTS]),
    ...(markets === null ? [] : await checkCluster(config, sharedDatasets(markets))),
  ];
}

const PAYMENTS = skipped(
  'payments',
  'their keys are not checked here',
  'tapeloom billing doctor checks them.',
);

const SHOWN = { ok: 'OK', warning: 'warning', error: 'ERROR', skipped: '-' } as const;

function findingsText(findings: readonly Finding[]): string {
  const table = tableText(
    [{ title: 'check' }, { title: 'outcome' }, { title: 'found' }],
    findings.map(({ check, outcome, detail }) => [check, SHOWN[outcome], detail]),
  );
  // Findings with the same advice show it once.
  const advised = findings.flatMap(({ check, advice }) =>
    advice === null ? [] : [`  ${check}: ${advice}\n`],
  );
  const advice = [...new Set(advised)].join('');
  return advice === '' ? table : `${table}\nWhat to do:\n${advice}`;
}

function sharedDatasets(markets: MarketSettings): readonly string[] {
  return sharedMarkets(markets).map((market) => openMarket(market).dataset);
}

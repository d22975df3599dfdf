/** `tapeloom billing doctor`: checks the keys of payment providers as the service would use them. */

import { readFileSync } from 'node:fs';
import { missingProviders } from '@tapeloom/server/billing/configured-providers';
import {
  type DoctorOptions,
  EXAMINATION_MS_MAX,
  examineProvider,
} from '@tapeloom/server/billing/doctor';
import { loadOffers } from '@tapeloom/server/billing/load-offers';
import { openPaddle, openStripe } from '@tapeloom/server/billing/open-adapters';
import { PADDLE_URLS, paddleEnvironment } from '@tapeloom/server/billing/paddle/paddle-environment';
import type { Finding } from '@tapeloom/server/billing/payment-provider';
import type { Config } from '@tapeloom/server/config/config';
import { isStripeLive } from '@tapeloom/server/config/payment-settings';
import { createLog } from '@tapeloom/server/platform/log/log';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { writeJson } from '../accounts/account-options.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { tableText } from '../table-text.ts';

export const billingDoctorCommand: CommandBody = {
  usage: `Usage: tapeloom billing doctor [--checkout] [--json]

Checks the payment providers of the settings with their keys: the account, the webhooks,
the clock and the countries. Only reads, and charges nobody. Exits with 1 if there is a problem.

  --checkout          also open and close a checkout in test mode; never with live keys
  --json              JSON instead of text

Examples:
  tapeloom billing doctor
  tapeloom billing doctor --checkout --json | jq '.findings[] | select(.outcome != "ok")'`,
  run,
};

type Examined = Pick<DoctorOptions, 'provider' | 'apiUrl' | 'isLive'>;
type ProviderFinding = Finding & { readonly provider: string };

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { flags: ['checkout', 'json'], words: [] });
  const config = configOf(io);
  const offers = loadOffers(config.offersFile, (path) => readFileSync(path, 'utf8'));
  const clock = createClock({ kind: 'system' });
  const publicUrl = config.publicUrl ?? `http://127.0.0.1:${config.port}`;
  const triesCheckout = values.checkout;
  // With these faults the service does not start.
  const findings = missingProviders(offers, config).map(
    ({ provider, fault }): ProviderFinding => ({
      provider,
      what: 'settings',
      outcome: 'fault',
      detail: fault,
    }),
  );
  for (const one of await examinedOf(config, publicUrl)) {
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(EXAMINATION_MS_MAX)]);
    const common = { offers, publicUrl, triesCheckout, clock, signal };
    const found = await examineProvider({ ...one, ...common });
    findings.push(...found.map((finding) => ({ provider: one.provider.name, ...finding })));
  }
  const isTestSold = offers.countries.some(({ provider }) => provider === 'test');
  if (isTestSold) findings.push(TEST_FINDING);
  const isWell = findings.every(({ outcome }) => outcome !== 'fault');
  if (values.json) writeJson(io, { isWell, findings });
  else io.stdout(findings.length === 0 ? NOBODY : findingsTable(findings));
  return isWell ? ExitCode.ok : ExitCode.failure;
}

const NOBODY =
  'No payment provider is configured: TAPELOOM_STRIPE_KEY or TAPELOOM_PADDLE_KEY configures one.\n';
const TEST_FINDING: ProviderFinding = {
  provider: 'test',
  what: 'money',
  outcome: 'warning',
  detail: 'takes no money: in its countries, anybody can have any plan',
};

async function examinedOf(config: Config, publicUrl: string): Promise<readonly Examined[]> {
  const clock = createClock({ kind: 'system' });
  const log = createLog({ level: 'silent', readable: false, write: () => undefined });
  const examined: Examined[] = [];
  const stripe = await openStripe(config, clock, log);
  if (stripe !== null) {
    const isLive = isStripeLive(config.stripeKey!);
    examined.push({ provider: stripe, apiUrl: config.stripeUrl, isLive });
  }
  const paddle = await openPaddle(config, () => publicUrl, clock, log);
  if (paddle !== null) {
    const environment = paddleEnvironment(config.paddleKey!, config.paddleClientToken!);
    const apiUrl = config.paddleUrl ?? PADDLE_URLS[environment];
    examined.push({ provider: paddle, apiUrl, isLive: environment === 'live' });
  }
  return examined;
}

function findingsTable(findings: readonly ProviderFinding[]): string {
  return tableText(
    [{ title: 'provider' }, { title: 'what' }, { title: 'outcome' }, { title: 'detail' }],
    findings.map(({ provider, what, outcome, detail }) => [provider, what, outcome, detail]),
  );
}

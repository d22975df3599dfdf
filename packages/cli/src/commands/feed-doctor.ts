/** `tapeloom feed doctor`: checks a venue with this machine's network, and prints a report to attach to an issue. */

import { doctorReport, isWell } from '@tapeloom/server/markets/live/doctor/doctor-report';
import { examineVenue } from '@tapeloom/server/markets/live/doctor/examine-venue';
import { webProbe } from '@tapeloom/server/markets/live/doctor/web-probe';
import { webNetwork } from '@tapeloom/server/markets/live/network';
import { VENUES } from '@tapeloom/server/markets/live/venues';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { VERSION } from '@tapeloom/server/platform/version';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { feedUsage, openVenue, VENUE_TEXTS, venueRequest } from '../feed/feed-options.ts';
import { ProgressLine } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';

const LISTEN_S = 60;
const LISTEN_S_MIN = 10;
const LISTEN_S_MAX = 3_600;
/** Without symbols, so many of the venue's examples. */
const EXAMPLES = 2;

export const feedDoctorCommand: CommandBody = {
  usage: `Usage: tapeloom feed doctor <venue> [<symbols>...] [options]

Checks what is assumed of a venue against the venue itself, in about two minutes: DNS and TLS, contracts,
subscription, fields, numbers without holes, past trades compared with those that came live, clocks, the
time that trades need, limits. Prints a report in Markdown to attach to an issue; it has no secret.
Nothing is stored. Exits with 1 if a check failed. Without symbols it takes those that trade most.

  --seconds <n>  how long to listen (${LISTEN_S_MIN} to ${LISTEN_S_MAX}; default: ${LISTEN_S})
${feedUsage(VENUE_TEXTS.map((name) => `--${name}`))}

Examples:
  tapeloom feed doctor binance-usdm
  tapeloom feed doctor okx BTC-USDT-SWAP --seconds 120 > okx.md
  tapeloom feed doctor databento ESZ6 --key-file databento.key`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { texts: ['seconds', ...VENUE_TEXTS], words: null });
  const [venue, ...written] = words;
  if (venue === undefined) throw new UsageError('<venue> is missing');
  const seconds = readSeconds(values.seconds);
  const { kind, settings } = await openVenue(VENUES, venueRequest(venue, written, values));
  const symbols = written.length > 0 ? [...new Set(written)] : kind.examples.slice(0, EXAMPLES);
  const progress = new ProgressLine(io, {});
  const { network = webNetwork, clock = createClock({ kind: 'system' }) } = io.feedParts ?? {};
  const examination = await examineVenue({
    ...{ kind, settings, symbols, network, clock, listenMs: seconds * 1_000 },
    probe: io.feedParts?.probe ?? webProbe,
    signal: io.signal,
    onProgress: (what) => progress.show(() => `${kind.title}: ${what}`),
  });
  progress.erase();
  io.signal.throwIfAborted();
  io.stdout(doctorReport(examination, { kind, settings, symbols, version: VERSION }));
  return isWell(examination) ? ExitCode.ok : ExitCode.failure;
}

function readSeconds(text: string | undefined): number {
  const seconds = /^\d{1,4}$/.test(text ?? `${LISTEN_S}`) ? Number(text ?? LISTEN_S) : Number.NaN;
  if (seconds >= LISTEN_S_MIN && seconds <= LISTEN_S_MAX) return seconds;
  throw new UsageError(
    `--seconds must be a whole number from ${LISTEN_S_MIN} to ${LISTEN_S_MAX}; got ${text}`,
  );
}

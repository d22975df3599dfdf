/**
 * The life of the process: configuration, lock, service, signals, exit status. It prints its first line before most of
 * the program is loaded. A start that fails ends with one sentence that gives the reason. The first SIGTERM or SIGINT
 * stops cleanly, at any time; the second ends the process at once. SIGHUP reloads. If the process has a terminal,
 * SIGHUP means that the terminal is gone, and ends the process.
 */

import { isatty } from 'node:tty';

import type { CalledAs } from './config/called-as.ts';
import { replayFault } from './config/cluster-settings.ts';
import { asksForHelp } from './config/command-line.ts';
import { type Config, ConfigError } from './config/config.ts';
import { loadConfig, processEnvironment, readSettingsFile } from './config/env.ts';
import { helpText } from './config/help-text.ts';
import type { MarketSetting } from './markets/market-setting.ts';
import { type NamedFiles, readNamedFiles } from './operations/start/named-files.ts';
import { MisconfiguredError, StartRefusedError } from './operations/start/start-refused-error.ts';
import type { WantedFeeds } from './operations/start/wanted-feeds.ts';
import { openPortal } from './pages/portal-place.ts';
import { Announcer } from './platform/announcer.ts';
import { DataFormatError } from './platform/disk/data-format.ts';
import { DirectoryLockedError, lockDirectory } from './platform/disk/directory-lock.ts';
import { diskFault } from './platform/disk/disk-fault.ts';
import { createLog, type Log } from './platform/log/log.ts';
import { LogLimit } from './platform/log/log-limit.ts';
import { collectAfterRushes } from './platform/memory/collect-garbage.ts';
import { returnLargeAllocations } from './platform/memory/returned-memory.ts';
import { Output } from './platform/output.ts';
import { ServiceManager } from './platform/service-manager.ts';
import { leaveServiceNote } from './platform/service-note.ts';
import { onStopSignals } from './platform/stop-signals.ts';
import { createClock } from './platform/system-clock.ts';
import { VERSION } from './platform/version.ts';
import type { FillPart } from './process/ingest/ingest-wire.ts';
import type { Service } from './process/service.ts';
import { ingestReport, startLine, startReport } from './process/start-report.ts';
import { ReplayWatch } from './process/watch/replay-watch.ts';

const EXIT_FAILED = 1;
const EXIT_MISCONFIGURED = 2;
/** As `EX_TEMPFAIL` of sysexits: after a restart the service works again. */
const EXIT_AGAIN = 75;

const FILL_PARTS: Readonly<Record<FillPart, string>> = {
  first: 'making the last sessions',
  rest: 'making past days',
  fetched: 'fetching past days',
};

const ENDS: Readonly<Record<string, string>> = {
  sent: 'the replay is complete',
  failed: 'no more trades are ingested',
  disk: 'the disk accepts writes again; the tape resumes with the next start',
  drained: 'a drain of this node was requested',
  displaced:
    'the register of nodes names another process as this node: its data directory was copied, or PostgreSQL was restored from an older backup',
};

/** Plays a past time, in a directory of its own instead of the configured one. */
export interface ReplayStart {
  readonly market: Extract<MarketSetting, { readonly kind: 'replay' }>;
  readonly data: string;
  /** Whether the process ends when everything is played and sent to every stream. */
  readonly exitsAtEnd: boolean;
  /** Receives the address of the chart when all data can be requested. */
  readonly onChart?: (link: string) => void;
}

/** Resolves to the exit status. */
export async function runProcess(
  args: readonly string[],
  calledAs: CalledAs,
  replay: ReplayStart | null = null,
): Promise<number> {
  if (asksForHelp(args)) {
    console.log(helpText(calledAs));
    return 0;
  }
  const settings = readSettingsOrTell(args, replay);
  if (settings === null) return EXIT_MISCONFIGURED;
  const { config } = settings;
  await returnLargeAllocations();
  collectAfterRushes();
  const stdout = new Output(process.stdout);
  const announcer = new Announcer({
    isTerminal: process.stdout.isTTY === true,
    write: (text) => stdout.write(text),
  });
  const logLimit = new LogLimit({ now: () => performance.now() });
  const stderr = new Output(process.stderr, (lines) =>
    log.warn({ lines }, 'the log was not read, and lines were dropped'),
  );
  const log: Log = createLog({
    level: config.logLevel,
    readable: process.stderr.isTTY === true,
    write: (line) => announcer.around(() => stderr.write(line)),
    limit: logLimit,
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'the process failed and ends');
    process.exit(EXIT_FAILED);
  });
  return await run(settings, calledAs, announcer, { log, logLimit });
}

interface Logging {
  readonly log: Log;
  readonly logLimit: LogLimit;
}

/** The configuration, and the files that it names. */
interface Settings extends NamedFiles {
  readonly args: readonly string[];
  readonly config: Config;
  readonly replay: ReplayStart | null;
}

function readSettingsOrTell(args: readonly string[], replay: ReplayStart | null): Settings | null {
  try {
    const read = loadConfig(args);
    const fault = replay === null ? null : replayFault(read.cluster);
    if (fault !== null) throw new ConfigError([fault]);
    const config = replay === null ? read : { ...read, data: replay.data };
    return { args, config, ...readNamedFiles(config, readSettingsFile), replay };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) console.error(fault);
    return null;
  }
}

async function run(
  settings: Settings,
  calledAs: CalledAs,
  announcer: Announcer,
  logging: Logging,
): Promise<number> {
  const { config, replay } = settings;
  // On a terminal the announcer's lines have the same content.
  const journal = process.stderr.isTTY === true ? null : logging.log;
  const startedAt = performance.now();
  const signalled = firstSignal();
  const stopping = new AbortController();
  void signalled.then(() => stopping.abort());
  const hangUps = new HangUps(replay === null);
  announcer.say(startLine(VERSION, config, replay?.market));
  using manager = ServiceManager.of({
    env: processEnvironment(),
    clock: createClock({ kind: 'system' }),
    onFault: (why) => logging.log.error({ why }, 'could not notify systemd'),
  });
  try {
    using _lock = lockDirectory(config.data);
    journal?.info({ version: VERSION, node: process.version, data: config.data }, 'starting');
    const feeds = await wantedFeeds(config, announcer, journal);
    await feeds?.prepare(stopping.signal);
    if (feeds !== null && stopping.signal.aborted) {
      announcer.say(`${await signalled}: stopping`);
      return 0;
    }
    const service = await startService(settings, announcer, logging);
    using _note = leaveServiceNote(config.data, {
      ...{ pid: process.pid, version: VERSION },
      portal: service.addresses?.portal ?? null,
      internal: service.internalAddress,
    });
    const report = async () => {
      await tellReady(service, settings, calledAs, announcer, startedAt);
      const seconds = secondsSince(startedAt);
      journal?.info({ version: VERSION, seconds: Number(seconds.toFixed(1)) }, 'ready');
    };
    const told = service.live.then(report, () =>
      announcer.say('The source failed; existing data is still served.'),
    );
    void told.then(() => manager?.ready(() => service.isAlive));
    const reload = reloadOn(settings, service, manager, logging.log);
    hangUps.handler = () => void reload();
    void feeds?.complete(reload, stopping.signal);
    using watch = replay === null ? null : watchReplay(service, replay, announcer, told);
    const over = replay?.exitsAtEnd ? watch!.over : signalled;
    const reason = await Promise.race([signalled, over, service.leaving]);
    hangUps.handler = null;
    stopping.abort();
    manager?.stopping();
    announcer.endProgress();
    announcer.say(`${ENDS[reason] ?? reason}: stopping`);
    journal?.info({ version: VERSION, reason }, 'stopping');
    const isClean = await service.stop();
    journal?.info({ version: VERSION, isClean }, 'stopped');
    announcer.say(isClean ? 'stopped, the tape is closed' : 'stopped, the tape was not closed');
    if (reason === 'disk') return EXIT_AGAIN;
    // The tape of a replay is not used again, so an unclean end is no failure.
    const isWell = replay === null ? isClean && reason !== 'displaced' : reason !== 'failed';
    return isWell ? 0 : EXIT_FAILED;
  } catch (error) {
    announcer.endProgress();
    const refusals = [StartRefusedError, DirectoryLockedError, DataFormatError];
    const isRefused = refusals.some((refusal) => error instanceof refusal);
    const fault = isRefused ? null : diskFault(error);
    if (!isRefused && fault === null) logging.log.fatal({ error }, 'the service failed');
    const message = error instanceof Error ? error.message : String(error);
    const why =
      fault === null
        ? message
        : `the data directory ${config.data} cannot be written: ${fault} (${message})`;
    console.error(`Tapeloom cannot start: ${why}`);
    return error instanceof MisconfiguredError ? EXIT_MISCONFIGURED : EXIT_FAILED;
  }
}

/** Its addresses, and lines to paste. */
async function tellReady(
  service: Service,
  { config, replay }: Settings,
  calledAs: CalledAs,
  announcer: Announcer,
  startedAt: number,
): Promise<void> {
  const { data, cluster } = config;
  const common = { version: VERSION, data, seconds: secondsSince(startedAt), cluster };
  const { addresses, internalAddress: internal } = service;
  const keys = addresses === null ? null : await service.firstKeys();
  const chart = keys === null || replay === null ? null : await service.chartLink();
  const lines =
    addresses === null
      ? ingestReport({ ...common, internal })
      : startReport({
          ...common,
          ...{ addresses, keys, calledAs, chart },
          example: service.streams!.example,
        });
  for (const line of lines) announcer.say(line);
  if (chart !== null) replay?.onChart?.(chart);
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

/** Watches only after the start was reported: otherwise a short replay could end before. */
function watchReplay(
  service: Service,
  { market, exitsAtEnd }: ReplayStart,
  announcer: Announcer,
  told: Promise<void>,
): ReplayWatch {
  let isTold = false;
  void told.then(() => {
    isTold = true;
  });
  const streams = () => (isTold ? service.streams : null);
  const watch = new ReplayWatch(streams, market, createClock({ kind: 'system' }));
  const then = exitsAtEnd ? '' : ' Its data is still served, and time continues without trades.';
  void watch.played.then(() => announcer.say(`The replay has ended.${then}`));
  return watch;
}

async function startService(
  { config, offers, operatorPages, replay }: Settings,
  announcer: Announcer,
  { log, logLimit }: Logging,
): Promise<Service> {
  const { Service } = await import('./process/service.ts');
  const isServing = config.cluster?.roles.serve !== false;
  const portal = isServing ? openPortal(config, log, (line) => announcer.say(line)) : null;
  // A start that fails does not wait for the portal's build.
  using unfinished = new DisposableStack();
  if (portal !== null) unfinished.use(portal);
  const service = await Service.start({
    config,
    ...(replay === null ? {} : { market: replay.market }),
    offers,
    operatorPages,
    version: VERSION,
    log,
    ...(portal === null ? {} : { portal }),
    logLinesLeftOut: () => logLimit.leftOutTotal,
    // A link that signs in must not reach a log, and output that is no terminal may be one.
    ...(process.stdout.isTTY === true ? { showLink: linkShower(announcer) } : {}),
    onFill: (part, days, daysTotal) => announcer.progress(FILL_PARTS[part], days, daysTotal),
  });
  unfinished.move();
  return service;
}

/** Null without feeds on the command line: their code is loaded for them alone. */
async function wantedFeeds(
  config: Config,
  announcer: Announcer,
  journal: Log | null,
): Promise<WantedFeeds | null> {
  if (config.feeds.length === 0) return null;
  const { openWantedFeeds } = await import('./operations/start/open-wanted-feeds.ts');
  return openWantedFeeds(config, (line) => {
    announcer.say(line);
    journal?.info(line);
  });
}

function linkShower(announcer: Announcer) {
  return (subject: string, to: string, link: string) => {
    announcer.say(`Mail to ${to}: ${subject}\n  ${link}`);
  };
}

/** A SIGHUP without a handler, as during a start or a stop, has no effect. */
class HangUps {
  handler: (() => void) | null = null;

  constructor(isReloading: boolean) {
    if (!isReloading || [0, 1, 2].some((descriptor) => isatty(descriptor))) return;
    process.on('SIGHUP', () => this.handler?.());
  }
}

function reloadOn(
  { args, config, offers, operatorPages }: Settings,
  service: Service,
  manager: ServiceManager | null,
  log: Log,
): () => Promise<void> {
  // Loaded at the first reload: most services never reload.
  const load = async () => {
    const { Reloader } = await import('./process/reloader.ts');
    return new Reloader({
      config,
      live: { offers, operatorPages, trustedProxies: config.trustedProxies },
      readConfig: () => loadConfig(args),
      readFile: readSettingsFile,
      service,
      clock: createClock({ kind: 'system' }),
      log,
    });
  };
  let loading: ReturnType<typeof load> | null = null;
  const work = async () => {
    loading ??= load();
    await (await loading).reload();
  };
  return () => (manager === null ? work() : manager.reloading(work));
}

/** Resolves at the first stop signal; a second one ends the process at once. */
function firstSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  onStopSignals({ onFirst: resolve, onAgain: () => process.exit(EXIT_FAILED) });
  return promise;
}

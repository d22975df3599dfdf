/**
 * The life of the process: configuration, lock, service, signals, exit status. A start that fails ends
 * with one sentence that says why. The first SIGTERM or SIGINT stops cleanly, the second at once.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from './config/config.ts';
import { loadConfig } from './config/env.ts';
import { TapeRefusedError } from './ingest-handle.ts';
import { Announcer } from './platform/announcer.ts';
import { DirectoryLockedError, lockDirectory } from './platform/directory-lock.ts';
import { createLog, type Log } from './platform/log.ts';
import { ListenError, Service } from './service.ts';
import { startReport } from './start-report.ts';

const EXIT_FAILED = 1;
const EXIT_MISCONFIGURED = 2;

/** Failures whose message is the whole story; for any other the log gets the stack. */
const EXPECTED = [DirectoryLockedError, ListenError, TapeRefusedError];

export async function runProcess(): Promise<void> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) console.error(fault);
    process.exitCode = EXIT_MISCONFIGURED;
    return;
  }
  const announcer = new Announcer({
    isTerminal: process.stdout.isTTY === true,
    write: (text) => process.stdout.write(text),
  });
  const log = createLog({
    level: config.logLevel,
    readable: process.stderr.isTTY === true,
    write: (line) => announcer.around(() => process.stderr.write(line)),
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'the process failed and ends');
    process.exit(EXIT_FAILED);
  });
  process.exitCode = await run(config, announcer, log);
}

async function run(config: Config, announcer: Announcer, log: Log): Promise<number> {
  const startedAt = performance.now();
  const version = readVersion();
  const speed = config.speed === null ? '' : `, ${config.speed} times faster than the clock`;
  announcer.say(`Tapeloom ${version} starts, data in ${config.data}${speed}`);
  let lock: Disposable;
  let service: Service;
  try {
    lock = lockDirectory(config.data);
    service = await Service.start({
      config,
      version,
      log,
      onFill: (part, days, daysTotal) => {
        const what = part === 'first' ? 'making the market of yesterday' : 'filling past days';
        announcer.progress(what, days, daysTotal);
      },
    });
  } catch (error) {
    return refuse(error, announcer, log);
  }
  const stopped = Promise.withResolvers<number>();
  const stop = onSignals(async (signal) => {
    announcer.endProgress();
    announcer.say(`${signal}: stopping`);
    const isClean = await service.stop();
    lock[Symbol.dispose]();
    announcer.say(
      isClean ? 'stopped, the tape is closed' : 'stopped; the tape was not closed in time',
    );
    stopped.resolve(isClean ? 0 : EXIT_FAILED);
  });
  service.live.then(
    () => {
      const seconds = (performance.now() - startedAt) / 1000;
      for (const line of startReport(version, config, service.addresses, seconds))
        announcer.say(line);
    },
    () => announcer.say('The source failed; what is on the tape is served.'),
  );
  const code = await stopped.promise;
  stop[Symbol.dispose]();
  return code;
}

/** Calls back at the first signal; at the second the process ends at once. */
function onSignals(stop: (signal: string) => Promise<void>): Disposable {
  let isStopping = false;
  const handle = (signal: string) => {
    if (isStopping) process.exit(EXIT_FAILED);
    isStopping = true;
    void stop(signal);
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  return {
    [Symbol.dispose]: () => {
      process.off('SIGTERM', handle);
      process.off('SIGINT', handle);
    },
  };
}

function refuse(error: unknown, announcer: Announcer, log: Log): number {
  announcer.endProgress();
  const isExpected = EXPECTED.some((kind) => error instanceof kind);
  if (!isExpected) log.fatal({ error }, 'the start failed');
  const message = error instanceof Error ? error.message : String(error);
  console.error(`Tapeloom cannot start: ${message}`);
  return EXIT_FAILED;
}

function readVersion(): string {
  const path = join(import.meta.dirname, '../package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

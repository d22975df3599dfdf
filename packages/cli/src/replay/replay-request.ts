/** Reads the arguments of `tapeloom serve --file` and `--replay`. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { replayFault } from '@tapeloom/server/config/cluster-settings';
import { ConfigError, readConfig } from '@tapeloom/server/config/config';
import { dataDirectory } from '../accounts/account-options.ts';
import { type CommandIo, UsageError } from '../command.ts';
import { readDay } from '../day-text.ts';
import { readArgs } from '../read-args.ts';
import { FILE_TEXTS, type FileOptions, readFileOptions } from '../study/file-options.ts';
import { readInstant } from '../time-options.ts';

export interface ReplayRequest {
  readonly source: FileToPlay | DayToPlay;
  /** The service's time at its start; null: the time of the first trade. */
  readonly from: EpochNs | null;
  /** The service's own arguments. */
  readonly serviceArgs: readonly string[];
  /** Whether time stands still until a stream subscribes. */
  readonly isHeld: boolean;
  readonly exitsAtEnd: boolean;
  /** Whether the directory survives the replay. */
  readonly isKept: boolean;
  readonly opensChart: boolean;
}

export interface FileToPlay {
  readonly kind: 'file';
  readonly path: string;
  readonly options: FileOptions;
}

export interface DayToPlay {
  readonly kind: 'tape';
  /** A contract or an alias. */
  readonly name: string;
  readonly day: UtcDay;
  readonly data: string;
}

const TAPE_TEXTS = ['day', 'data'] as const;
const SERVICE_TEXTS = ['speed', 'echo-port'] as const;

type Values = Readonly<
  Partial<Record<(typeof TAPE_TEXTS)[number] | (typeof FILE_TEXTS)[number], string>>
>;

export function readReplayRequest(args: readonly string[], io: CommandIo): ReplayRequest {
  const { values } = readArgs(args, {
    texts: ['file', 'replay', 'from', ...SERVICE_TEXTS, ...TAPE_TEXTS, ...FILE_TEXTS],
    flags: ['hold', 'exit-at-end', 'keep', 'no-open'],
    words: [],
  });
  const { file, replay } = values;
  if (file !== undefined && replay !== undefined) {
    throw new UsageError('use either --file or --replay, not both');
  }
  const serviceArgs = SERVICE_TEXTS.flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  refuseFaults(serviceArgs, io);
  return {
    source: file === undefined ? readDayToPlay(replay!, values, io) : readFileToPlay(file, values),
    from: values.from === undefined ? null : readInstant('--from', values.from),
    serviceArgs,
    isHeld: values.hold,
    exitsAtEnd: values['exit-at-end'],
    isKept: values.keep,
    // With `--hold` or `--exit-at-end`, the browser's stream would start or prolong a replay meant for a bot.
    opensChart: !values['no-open'] && !values.hold && !values['exit-at-end'],
  };
}

function readFileToPlay(path: string, values: Values): FileToPlay {
  refuseOthers(values, TAPE_TEXTS, '--replay');
  return { kind: 'file', path: resolve(path), options: readFileOptions(values) };
}

function readDayToPlay(name: string, values: Values, io: CommandIo): DayToPlay {
  refuseOthers(values, FILE_TEXTS, '--file');
  const day = readDay('--day', values.day);
  const data = dataDirectory(values.data, io);
  return { kind: 'tape', name, day, data };
}

function refuseOthers(values: Values, names: readonly (keyof Values)[], other: string): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} requires ${other}`);
}

/** Reports, before any long work, what the service would reject. */
function refuseFaults(args: readonly string[], io: CommandIo): void {
  try {
    const readFile = (path: string) => readFileSync(path, 'utf8');
    const fault = replayFault(readConfig({ env: io.env, args, readFile }).cluster);
    if (fault !== null) throw new ConfigError([fault]);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

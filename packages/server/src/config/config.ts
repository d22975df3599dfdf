/**
 * The configuration, read once at the start. The environment wins over the file, the file over the defaults. Any
 * invalid value, variable, key or argument stops the start: all faults are reported at once, each with its name, the
 * value and what is accepted.
 */

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type IpRange, parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import { GIB } from '@tapeloom/core/units';
import { LOG_LEVELS, type LogLevel } from '../platform/log/log.ts';
import {
  CLUSTER_SETTINGS,
  type ClusterConfig,
  type ClusterSettings,
  clusterConfig,
  clusterFaults,
} from './cluster-settings.ts';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { MAIL_FROM_ACCEPTS, mailSender } from './mail-sender.ts';
import {
  PAYMENT_SETTINGS,
  type PaymentSettings,
  paymentSettingsFaults,
} from './payment-settings.ts';
import { portFaults } from './port-faults.ts';
import { isOrigin, PUBLIC_URL_ACCEPTS } from './public-address.ts';
import { pushSecretFaults, pushSecretFileSetting } from './push-secret.ts';
import { type ConfigSources, type RawSettings, readRawSettings } from './raw-settings.ts';
import {
  byteCount,
  decimalNumber,
  listOf,
  oneOf,
  type Setting,
  secretText,
  text,
  wholeNumber,
} from './setting.ts';
import { SMTP_URL_ACCEPTS, smtpServerAddress } from './smtp-server-address.ts';
import { SUPPORT_ACCEPTS, supportAddress } from './support-address.ts';

export interface Config extends CommandLine, PaymentSettings {
  readonly port: number;
  readonly host: string;
  readonly internalPort: number;
  readonly internalHost: string;
  /** The file with the secret of the push endpoint; null: there is no such endpoint. */
  readonly pushSecretFile: string | null;
  /** Absolute path of the data directory. */
  readonly data: string;
  /** Proxies whose statement of a client's address is trusted. */
  readonly trustedProxies: readonly IpRange[];
  readonly logLevel: LogLevel;
  /** The public address of the service, without a path; null: the public port of this machine. */
  readonly publicUrl: string | null;
  /** Directory of a built portal; null: the one that comes with the program. */
  readonly portal: string | null;
  /** Directory with the operator's own pages; null: none. */
  readonly pages: string | null;
  /** The address of the documentation; null: below the public address. */
  readonly docsUrl: string | null;
  /** The mail server, with its password; null: mails are files in the outbox. */
  readonly smtpUrl: string | null;
  /** The support contact: an e-mail address or a page. */
  readonly support: string | null;
  /** The sender of mails; required with a mail server. */
  readonly mailFrom: string | null;
  /** Whether the simulator runs; null: only if no file of instruments was applied. */
  readonly sim: 'on' | 'off' | null;
  readonly simSeed: number;
  /** Factor on the number of simulated prints a day. */
  readonly simScale: number;
  readonly simDays: number;
  /** The size limit of the result cache on disk; 0: no cache. */
  readonly cacheBytes: number;
  /** How many days stay on the tape, before today or before the newest imported day; 0: all. */
  readonly keepDays: number;
  /** How many days an event stays in the audit log. */
  readonly auditDays: number;
  /** How many days the access log keeps; 0: there is none. */
  readonly accessDays: number;
  /** For how many years orders outlive the deletion of their account. */
  readonly ordersYears: number;
  /** The file with offers, prices and countries; null: the built-in ones. */
  readonly offersFile: string | null;
  /** The servers that this node shares with others; null: a single machine. */
  readonly cluster: ClusterConfig | null;
}

/** The last days of a live tape must stay: streams need them, with look-backs over the sessions of up to two weeks. */
export const KEEP_DAYS_MIN = 30;

type Read = Omit<Config, keyof CommandLine | 'cluster'> & ClusterSettings;
type Settings = { readonly [K in keyof Read]: Setting<Read[K]> };

const HOST_TEXT = /^[0-9A-Za-z](?:[0-9A-Za-z.-]{0,252}[0-9A-Za-z])?$/;
const isHost = (value: string) => isIP(value) !== 0 || HOST_TEXT.test(value);
const HOST_ACCEPTS = 'a host name or an IP address';

const SETTINGS: Settings = {
  ...PAYMENT_SETTINGS,
  ...CLUSTER_SETTINGS,
  port: wholeNumber({ variable: 'TAPELOOM_PORT', fallback: 8080 }, 0, 65_535),
  host: text({ variable: 'TAPELOOM_HOST', fallback: '127.0.0.1' }, HOST_ACCEPTS, isHost),
  internalPort: wholeNumber({ variable: 'TAPELOOM_INTERNAL_PORT', fallback: 9464 }, 0, 65_535),
  internalHost: text(
    { variable: 'TAPELOOM_INTERNAL_HOST', fallback: '127.0.0.1' },
    HOST_ACCEPTS,
    isHost,
  ),
  pushSecretFile: pushSecretFileSetting,
  data: text({ variable: 'TAPELOOM_DATA', fallback: './data' }, 'the path of a directory', isPath),
  trustedProxies: listOf(
    { variable: 'TAPELOOM_TRUSTED_PROXIES', fallback: [] },
    'a list of addresses or CIDR ranges such as 10.0.0.0/8, fd00::/8',
    parseIpRange,
  ),
  logLevel: oneOf({ variable: 'TAPELOOM_LOG_LEVEL', fallback: 'info' }, LOG_LEVELS),
  publicUrl: text<string | null>(
    { variable: 'TAPELOOM_PUBLIC_URL', fallback: null },
    PUBLIC_URL_ACCEPTS,
    isOrigin,
  ),
  portal: text<string | null>(
    { variable: 'TAPELOOM_PORTAL', fallback: null },
    'the path of a directory with a built portal',
    isPath,
  ),
  pages: text<string | null>(
    { variable: 'TAPELOOM_PAGES', fallback: null },
    'the path of a directory with imprint.md, privacy.md and terms.md',
    isPath,
  ),
  docsUrl: text<string | null>(
    { variable: 'TAPELOOM_DOCS_URL', fallback: null },
    'an http or https address without a slash at the end',
    isPlainAddress,
  ),
  smtpUrl: secretText<string | null>(
    { variable: 'TAPELOOM_SMTP_URL', fallback: null },
    SMTP_URL_ACCEPTS,
    (value) => smtpServerAddress(value) !== null,
  ),
  support: text<string | null>(
    { variable: 'TAPELOOM_SUPPORT', fallback: null },
    SUPPORT_ACCEPTS,
    (value) => supportAddress(value) !== null,
  ),
  mailFrom: text<string | null>(
    { variable: 'TAPELOOM_MAIL_FROM', fallback: null },
    MAIL_FROM_ACCEPTS,
    (value) => mailSender(value) !== null,
  ),
  sim: text<'on' | 'off' | null>(
    { variable: 'TAPELOOM_SIM', fallback: null },
    'one of on, off',
    (value) => value === 'on' || value === 'off',
  ),
  simSeed: wholeNumber({ variable: 'TAPELOOM_SIM_SEED', fallback: 1 }, 0, 4_294_967_295),
  simScale: decimalNumber({ variable: 'TAPELOOM_SIM_SCALE', fallback: 1 }, 0.001, 100),
  simDays: wholeNumber({ variable: 'TAPELOOM_SIM_DAYS', fallback: 10 }, 0, 60),
  cacheBytes: byteCount({ variable: 'TAPELOOM_CACHE_BYTES', fallback: 2 * GIB }),
  keepDays: wholeNumber({ variable: 'TAPELOOM_KEEP_DAYS', fallback: 0 }, 0, 36_500),
  // Processes on one directory also learn of each other's changes from this log; none pauses for a month.
  auditDays: wholeNumber({ variable: 'TAPELOOM_AUDIT_DAYS', fallback: 400 }, 30, 36_500),
  accessDays: wholeNumber({ variable: 'TAPELOOM_ACCESS_DAYS', fallback: 0 }, 0, 400),
  ordersYears: wholeNumber({ variable: 'TAPELOOM_ORDERS_YEARS', fallback: 10 }, 1, 100),
  offersFile: text<string | null>(
    { variable: 'TAPELOOM_OFFERS', fallback: null },
    'the path of a JSON file with prices, countries and the waiver',
    (value) => value !== '' && !value.includes('\0'),
  ),
};

const FEED_IN_CLUSTER =
  '--feed is for one machine: in a cluster, run "tapeloom instruments from --feed" once, apply the file on every node, and start without --feed.';

/** All faults of the configuration, one sentence each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

export function readConfig(sources: ConfigSources & { readonly args: readonly string[] }): Config {
  const faults: string[] = [];
  const raw = readRawSettings(Object.values(SETTINGS), sources, faults);
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    values[name] = readSetting(setting, raw, faults);
  }
  const config = { ...values, ...readCommandLine(sources.args, faults) } as Read & CommandLine;
  if (config.smtpUrl !== null && config.mailFrom === null) {
    faults.push(
      `TAPELOOM_MAIL_FROM is required when TAPELOOM_SMTP_URL is set. It must be ${MAIL_FROM_ACCEPTS}.`,
    );
  }
  if (config.keepDays > 0 && config.keepDays < KEEP_DAYS_MIN) {
    faults.push(
      `TAPELOOM_KEEP_DAYS must be 0 (keep everything) or at least ${KEEP_DAYS_MIN}; got ${config.keepDays}.`,
    );
  }
  // A setting that could not be read counts as missing and was reported already.
  if (faults.length === 0) {
    const { readFile } = sources;
    faults.push(...portFaults(config), ...paymentSettingsFaults(config));
    faults.push(...pushSecretFaults(config.pushSecretFile, readFile));
    faults.push(...clusterFaults(config, { speed: config.speed, readFile }));
    if (config.feeds.length > 0 && clusterConfig(config) !== null) faults.push(FEED_IN_CLUSTER);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  // An accelerated service is ahead of the clock, so it must never share a tape with a real one.
  const data = config.speed === null ? config.data : `${config.data}-speed`;
  return { ...withoutParts(config), cluster: clusterConfig(config), data: resolve(data) };
}

/** The value of one setting, and its source. */
export interface ExplainedSetting {
  readonly variable: string;
  /** Its name in the configuration file. */
  readonly key: string;
  /** Null: it is secret. */
  readonly value: unknown;
  /** `environment`, `default`, or the file that contains it. */
  readonly source: string;
}

/** Every setting, even if the configuration as a whole is invalid; `readConfig` reports the faults. */
export function explainConfig(sources: ConfigSources): readonly ExplainedSetting[] {
  const all = readRawSettings(Object.values(SETTINGS), sources, []);
  return Object.values(SETTINGS as Record<string, Setting<unknown>>).map((setting) => {
    const { variable, key, fallback } = setting;
    const { raw, source } = all.get(variable) ?? { raw: fallback, source: 'default' };
    const isHidden = source !== 'default' && isSecret(setting, raw);
    return { variable, key, value: isHidden ? null : raw, source };
  });
}

/** The variables by which two configurations differ; those of a cluster count as one. */
export function changedSettings(before: Config, after: Config): readonly string[] {
  const isOther = (name: keyof Config) => !isDeepStrictEqual(before[name], after[name]);
  const names = Object.entries(SETTINGS as Record<string, Setting<unknown>>).flatMap(
    ([name, { variable }]) => (isOther(name as keyof Config) ? [variable] : []),
  );
  return isOther('cluster') ? [...names, 'TAPELOOM_POSTGRES_* or TAPELOOM_NATS_*'] : names;
}

/** The settings of a cluster are replaced by one field. */
function withoutParts(read: Read & CommandLine): Omit<Config, 'cluster'> {
  const isPart = ([name]: readonly [string, unknown]) => Object.hasOwn(CLUSTER_SETTINGS, name);
  const others = Object.entries(read).filter((entry) => !isPart(entry));
  return Object.fromEntries(others) as unknown as Omit<Config, 'cluster'>;
}

function readSetting(setting: Setting<unknown>, all: RawSettings, faults: string[]): unknown {
  const given = all.get(setting.variable);
  if (given === undefined) return setting.fallback;
  const { raw, name } = given;
  const value = setting.read(raw);
  if (value !== undefined) return value;
  const wrapping = wrappingOf(setting, raw);
  if (wrapping !== null) {
    faults.push(
      `${name} has ${wrapping} around its value. Remove them: they count as part of the value.`,
    );
    return setting.fallback;
  }
  const shown = isSecret(setting, raw)
    ? 'a value that is not shown because it may be secret'
    : JSON.stringify(raw);
  faults.push(`${name} must be ${setting.accepts}; got ${shown}.`);
  return setting.fallback;
}

function isSecret({ isSecret: how }: Setting<unknown>, raw: unknown): boolean {
  return typeof how === 'function' ? how(raw) : how === true;
}

/** Spaces, line breaks or quotes around a value that is valid without them; null: the value itself is wrong. */
function wrappingOf(setting: Setting<unknown>, raw: unknown): string | null {
  if (typeof raw !== 'string') return null;
  const bare = raw.trim();
  if (bare !== raw && setting.read(bare) !== undefined) {
    return /[\r\n]/.test(raw) ? 'line breaks' : 'spaces';
  }
  const [, , inner] = /^(["'])(.*)\1$/s.exec(bare) ?? [];
  return inner !== undefined && setting.read(inner) !== undefined ? 'quotes' : null;
}

function isPath(value: string): boolean {
  return value !== '' && !value.includes('\0');
}

function isPlainAddress(value: string): boolean {
  if (value.endsWith('/') || !URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && search === '' && hash === '';
}

/**
 * The raw value of each setting and its source: the environment, a file named by `<variable>_FILE`, or the
 * configuration file, in this order. An unknown variable or key is a fault, also one that differs only in case.
 */

import { nearestName } from './nearest-name.ts';
import { keyOf, type Setting } from './setting.ts';
import { SMTP_PASSWORD_FILE, withSmtpPassword } from './smtp-server-address.ts';

const CONFIG_FILE = 'TAPELOOM_CONFIG';
const SMTP_URL = 'TAPELOOM_SMTP_URL';
/** Variables that only the command `tapeloom` reads; they may be set where the service is started. */
const COMMAND_VARIABLES = ['TAPELOOM_URL', 'TAPELOOM_KEY', 'TAPELOOM_PROFILE', 'TAPELOOM_DEBUG'];
/** Variables that only tests read: the program that starts NATS servers. */
const TEST_VARIABLES = ['TAPELOOM_NATS_SERVER'];

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file, and files of secrets, as text; may throw. */
  readonly readFile: (path: string) => string;
}

export interface RawSetting {
  readonly raw: unknown;
  /** Its name in messages: `TAPELOOM_PORT`, `"port" in the file`. */
  readonly name: string;
  /** Where it is written, for people: `environment`, `file /etc/tapeloom.json`. */
  readonly source: string;
}

/** By variable; a setting that is absent has its default. */
export type RawSettings = ReadonlyMap<string, RawSetting>;

type Known = Pick<Setting<unknown>, 'variable' | 'key' | 'fileVariable'>;

export function readRawSettings(
  settings: readonly Known[],
  sources: ConfigSources,
  faults: string[],
): RawSettings {
  const variables = settings.flatMap(({ variable, fileVariable }) =>
    fileVariable === undefined ? [variable] : [variable, fileVariable],
  );
  const known = [...variables, SMTP_PASSWORD_FILE];
  const written = readConfigFile(sources, known.map(keyOf), faults);
  refuseUnknownVariables(sources.env, [...known, CONFIG_FILE], faults);
  const read: Reading = { written, sources, faults };
  const found = new Map<string, RawSetting>();
  for (const setting of settings) {
    const raw = rawSetting(setting, read);
    if (raw !== null) found.set(setting.variable, raw);
  }
  addSmtpPassword(found, read);
  return found;
}

interface Reading {
  readonly written: readonly (readonly [string, RawSetting])[];
  readonly sources: ConfigSources;
  readonly faults: string[];
}

/** The raw value from the environment or the configuration file. */
function writtenAs(variable: string, { written, sources: { env } }: Reading): RawSetting | null {
  const raw = env[variable];
  if (raw !== undefined) return { raw, name: variable, source: 'environment' };
  const key = keyOf(variable);
  return written.find(([one]) => one === key)?.[1] ?? null;
}

function rawSetting({ variable, fileVariable }: Known, read: Reading): RawSetting | null {
  const value = writtenAs(variable, read);
  const file = fileVariable === undefined ? null : writtenAs(fileVariable, read);
  if (file === null) return value;
  if (value !== null && value.source === file.source) {
    read.faults.push(`${value.name} and ${file.name} are both set; remove one of them.`);
    return null;
  }
  // The environment wins over the file, in either form.
  if (value?.source === 'environment') return value;
  return secretIn(file, read);
}

/** The content of the file that a setting names; null if it cannot be used, which is reported as a fault. */
function secretIn(file: RawSetting, { sources, faults }: Reading): RawSetting | null {
  const { raw: path, name } = file;
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    faults.push(`${name} must be the path of a file; got ${JSON.stringify(path)}.`);
    return null;
  }
  try {
    // One secret per line is a list too.
    const raw = sources
      .readFile(path)
      .trim()
      .replace(/\s*\n\s*/g, ',');
    if (raw !== '') return { raw, name, source: `file ${path}` };
    faults.push(`${name}: the file ${path} is empty.`);
  } catch (error) {
    faults.push(`${name}: cannot read ${path}: ${(error as Error).message}`);
  }
  return null;
}

function addSmtpPassword(found: Map<string, RawSetting>, read: Reading): void {
  const file = writtenAs(SMTP_PASSWORD_FILE, read);
  if (file === null) return;
  const url = found.get(SMTP_URL);
  if (url === undefined) {
    read.faults.push(
      `${file.name} requires ${SMTP_URL}: it contains the password of that mail server.`,
    );
    return;
  }
  const secret = secretIn(file, read);
  if (secret === null || typeof url.raw !== 'string') return;
  const raw = withSmtpPassword(url.raw, secret.raw as string);
  if (raw !== null) found.set(SMTP_URL, { ...url, raw });
  else {
    read.faults.push(
      `${file.name}: ${url.name} must then contain a user but no password, such as smtp://user@host:587.`,
    );
  }
}

function readConfigFile(
  sources: ConfigSources,
  keys: readonly string[],
  faults: string[],
): Reading['written'] {
  const path = sources.env[CONFIG_FILE];
  if (path === undefined) return [];
  let content: unknown;
  try {
    content = JSON.parse(sources.readFile(path));
  } catch (error) {
    faults.push(`${CONFIG_FILE}: cannot read ${path}: ${(error as Error).message}`);
    return [];
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    faults.push(`${CONFIG_FILE}: ${path} must contain one JSON object.`);
    return [];
  }
  for (const key of Object.keys(content)) {
    if (keys.includes(key)) continue;
    faults.push(`"${key}" in the file ${path} is not a setting.${suggestion(key, keys)}`);
  }
  const source = `file ${path}`;
  return Object.entries(content).map(([key, raw]) => {
    return [key, { raw, name: `"${key}" in the file`, source }] as const;
  });
}

function refuseUnknownVariables(
  env: ConfigSources['env'],
  known: readonly string[],
  faults: string[],
): void {
  const others = [...COMMAND_VARIABLES, ...TEST_VARIABLES];
  for (const name of Object.keys(env).sort()) {
    const upper = name.toUpperCase();
    if (!upper.startsWith('TAPELOOM_') || [...known, ...others].includes(name)) continue;
    if (name === upper || !known.includes(upper)) {
      faults.push(`${name} is not a setting.${suggestion(name, known)}`);
    } else if (env[upper] !== env[name]) {
      // If names may differ in case only, as on Windows, both are the same variable.
      faults.push(`${name} is ignored: setting names are upper case. Use ${upper}.`);
    }
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === null ? ` The settings are ${known.join(', ')}.` : ` Did you mean ${near}?`;
}

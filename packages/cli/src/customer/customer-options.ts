/**
 * Shared by the customer commands: the service's address and the key. Each comes from its option, else its variable,
 * else the profile that `tapeloom login` stored. A stored key is sent only to the address it was stored with.
 */

import { TapeloomClient } from '@tapeloom/client';
import { KEY_TEXT } from '@tapeloom/protocol/key-text';
import { type CommandIo, UsageError } from '../command.ts';
import { NotSignedInError } from './failure.ts';
import {
  DEFAULT_PROFILE,
  isProfileName,
  type Profile,
  profilesPath,
  readProfiles,
} from './profiles.ts';

/** `svc_live_` and four of the 33 characters after it. */
const KEY_SHOWN_CHARACTERS = 13;

/** Options that choose the service and the key. */
export const PLACE_OPTIONS = ['url', 'key', 'profile'] as const;

export const PLACE_USAGE = `  --url <address>     the service (default: TAPELOOM_URL, else where you signed in, else this machine)
  --key <key>         the API key (default: TAPELOOM_KEY, else the one you signed in with); other users can
                      see an option in the process list, but not a variable
  --profile <name>    the profile to use (default: TAPELOOM_PROFILE or default)`;
export const CUSTOMER_USAGE = `${PLACE_USAGE}
  --json              JSON instead of text`;

export type CustomerOptionValues = {
  readonly [Option in (typeof PLACE_OPTIONS)[number]]?: string | undefined;
};

export interface ServicePlace {
  /** The service's address, without our path. */
  readonly url: string;
  readonly key: string | null;
}

/** The service, with the key if there is one. */
export async function servicePlace(
  values: CustomerOptionValues,
  io: CommandIo,
): Promise<ServicePlace> {
  const profile = await profileOf(values, io);
  const url = readUrl(values.url ?? suggestedUrl(io, profile?.url));
  const given = values.key ?? nonEmpty(io.env.TAPELOOM_KEY);
  const kept = profile !== null && profile.url === url ? profile.key : null;
  return { url, key: given === undefined ? kept : readKey(given) };
}

export async function signedInPlace(
  values: CustomerOptionValues,
  io: CommandIo,
): Promise<ServicePlace & { readonly key: string }> {
  const { url, key } = await servicePlace(values, io);
  if (key !== null) return { url, key };
  throw new NotSignedInError(
    `no API key for ${url}. Sign in with tapeloom login, or set TAPELOOM_KEY.`,
  );
}

/** A client with a key; the command disposes of it. */
export async function customerClient(
  values: CustomerOptionValues,
  io: CommandIo,
): Promise<TapeloomClient> {
  return clientAt(await signedInPlace(values, io), io);
}

/** A client for public endpoints, with or without a key. */
export async function visitorClient(
  values: CustomerOptionValues,
  io: CommandIo,
): Promise<TapeloomClient> {
  return clientAt(await servicePlace(values, io), io);
}

/** Sends the client's warnings to stderr, or to where they do not disturb. */
export function clientAt(
  { url, key }: ServicePlace,
  io: CommandIo,
  tell: (line: string) => void = io.stderr,
): TapeloomClient {
  const onWarning = ({ message }: { readonly message: string }) => tell(`${message}\n`);
  return new TapeloomClient({
    url,
    ...(key === null ? {} : { key }),
    onWarning,
    ...io.clientParts,
  });
}

/** Accepts pasted addresses: a stream address means the same service. */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const protocol = url === null ? undefined : HTTP_OF[url.protocol];
  if (url === null || protocol === undefined || url.username !== '' || url.password !== '') {
    throw new UsageError(`the address must be like https://api.example.com; got ${hidden(text)}`);
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  return `${protocol}//${url.host}${path}`;
}

/** Rejects text that no header could carry, or that the service would reject anyway. */
export function readKey(text: string): string {
  const key = text.trim();
  if (KEY_TEXT.test(key)) return key;
  throw new UsageError('a key must begin with svc_live_ or svc_test_, followed by 33 characters');
}

export function profileName(values: CustomerOptionValues, io: CommandIo): string {
  const name = values.profile ?? nonEmpty(io.env.TAPELOOM_PROFILE) ?? DEFAULT_PROFILE;
  if (isProfileName(name)) return name;
  throw new UsageError('--profile takes up to 32 letters, digits, dots, dashes and underscores');
}

async function profileOf(values: CustomerOptionValues, io: CommandIo): Promise<Profile | null> {
  const name = profileName(values, io);
  const path = profilesPath(io.env);
  const isNamed = values.profile !== undefined || nonEmpty(io.env.TAPELOOM_PROFILE) !== undefined;
  // With address and key given, the file of profiles is not read, so an unusable file cannot fail the command.
  const isTold = !isNamed && (values.key ?? nonEmpty(io.env.TAPELOOM_KEY)) !== undefined;
  const isPlaceTold = (values.url ?? nonEmpty(io.env.TAPELOOM_URL)) !== undefined;
  if (isTold && isPlaceTold) return null;
  const profile = path === null ? undefined : (await readProfiles(path)).get(name);
  if (profile !== undefined) return profile;
  if (!isNamed) return null;
  throw new NotSignedInError(
    `not signed in with the profile ${name}. Run tapeloom login --profile ${name}.`,
  );
}

/** The address to use when no option names one. */
export function suggestedUrl(io: CommandIo, kept: string | undefined): string {
  const { TAPELOOM_URL, TAPELOOM_PORT } = io.env;
  return nonEmpty(TAPELOOM_URL) ?? kept ?? `http://127.0.0.1:${nonEmpty(TAPELOOM_PORT) ?? 8080}`;
}

/** The part of a key that may be shown: its kind, and enough to distinguish it. */
export function keyPrefix(key: string): string {
  return `${key.slice(0, KEY_SHOWN_CHARACTERS)}…`;
}

/** Never echoes text that may be a key pasted as an address. */
function hidden(text: string): string {
  return /svc_|@/.test(text) ? 'something else' : text;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

const HTTP_OF: Readonly<Record<string, string>> = {
  'http:': 'http:',
  'https:': 'https:',
  'ws:': 'http:',
  'wss:': 'https:',
};

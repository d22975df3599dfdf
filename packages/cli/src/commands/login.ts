/**
 * `tapeloom login`: stores a service's address and a key for later commands, once the service has accepted them. The
 * key is typed unseen or piped in, and never shown again.
 */

import type { TapeloomClient } from '@tapeloom/client';
import { tell } from '../accounts/account-options.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import {
  clientAt,
  keyPrefix,
  PLACE_OPTIONS,
  profileName,
  readKey,
  readUrl,
  suggestedUrl,
} from '../customer/customer-options.ts';
import { NotSignedInError } from '../customer/failure.ts';
import { instrumentNames, rememberNames, rememberProfiles } from '../customer/known-names.ts';
import { profilesPath, readProfiles, writeProfiles } from '../customer/profiles.ts';
import { readArgs } from '../read-args.ts';

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const loginCommand: Command = {
  path: ['login'],
  summary: 'Sign in: store the address of a service and a key.',
  usage: `Usage: tapeloom login [--url <address>] [--profile <name>] [--key-stdin] [--show] [--json]

Asks for the address and the key, tests them, and stores them in a file of the user's config directory that
no other user can read. The key is never shown, not even while you type it.

  --url <address>     the service; you are then not asked
  --key-stdin         read the key from the standard input, for scripts
  --profile <name>    store it under this name (default: TAPELOOM_PROFILE or default)
  --show              show the address and the beginning of the stored key
  --json              JSON instead of text

Examples:
  tapeloom login
  tapeloom login --url https://api.example.com --profile work
  tapeloom login --url https://api.example.com --key-stdin < key.txt
  tapeloom login --show
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = ['json', 'key-stdin', 'show'] as const;
  const { values } = readArgs(args, { texts: PLACE_OPTIONS, flags, words: [] });
  if (values.key !== undefined) {
    throw new UsageError('other users can see an option, and the shell stores it: use --key-stdin');
  }
  const path = profilesPath(io.env);
  if (path === null)
    throw new Error('there is no config directory: neither HOME nor APPDATA is set');
  const name = profileName(values, io);
  if (values.show) return await show(io, path, name, values.json);

  const profiles = new Map(await readProfiles(path));
  const url = await askUrl(values, io, profiles.get(name)?.url);
  warnOfPlainText(io, url);
  const key = await askKey(values['key-stdin'], io);
  await using client = clientAt({ url, key }, io);
  const { plan } = await client.usage({ signal: io.signal });
  await writeProfiles(path, profiles.set(name, { url, key }));
  await rememberProfiles(io);
  await learnNames(client, io);
  const facts = { profile: name, url, key: keyPrefix(key), plan, file: path };
  const text = `Signed in to ${url} with ${keyPrefix(key)} (${plan}), stored in ${path}.\n`;
  return tell(io, values.json, facts, text);
}

async function show(io: CommandIo, path: string, name: string, isJson: boolean): Promise<number> {
  const profile = (await readProfiles(path)).get(name);
  if (profile === undefined) {
    throw new NotSignedInError(`not signed in with the profile ${name}. Run tapeloom login.`);
  }
  const { url, key } = profile;
  const facts = { profile: name, url, key: keyPrefix(key), file: path };
  const text = `Signed in to ${url} with ${keyPrefix(key)} (profile ${name}, ${path}).\n`;
  return tell(io, isJson, facts, text);
}

async function askUrl(
  values: { readonly url?: string | undefined },
  io: CommandIo,
  kept: string | undefined,
): Promise<string> {
  const suggested = suggestedUrl(io, kept);
  if (values.url !== undefined || !io.input.isTerminal) return readUrl(values.url ?? suggested);
  const answer = await io.input.ask(`Address of the service [${suggested}]: `);
  return readUrl(answer?.trim() || suggested);
}

async function askKey(isPiped: boolean, io: CommandIo): Promise<string> {
  if (isPiped && io.input.isTerminal) {
    throw new UsageError(
      '--key-stdin reads a pipe; without it you are asked, and the key is not shown',
    );
  }
  if (isPiped) return readKey(await io.input.readAll());
  if (!io.input.isTerminal) {
    throw new UsageError('there is no terminal to type the key; --key-stdin reads it from a pipe');
  }
  return readKey((await io.input.ask('Key (not shown): ', { isHidden: true })) ?? '');
}

function warnOfPlainText(io: CommandIo, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return;
  io.stderr(`Warning: ${url} is not encrypted, so the key can be read on the network.\n`);
}

/** For completion. A key that may not list them is signed in all the same. */
async function learnNames(client: TapeloomClient, io: CommandIo): Promise<void> {
  const [instruments, catalogue] = await Promise.allSettled([
    client.instruments({ signal: io.signal }),
    client.indicators({ signal: io.signal }),
  ]);
  if (instruments.status === 'fulfilled') {
    await rememberNames(io, 'instruments', instrumentNames(instruments.value));
  }
  if (catalogue.status === 'fulfilled') {
    const ids = catalogue.value.indicators.map(({ id }) => id);
    await rememberNames(io, 'indicators', ids);
  }
}

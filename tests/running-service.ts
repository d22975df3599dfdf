/**
 * The real service as a child process, on free ports and a data directory of its own. Whatever a test
 * does, the process is gone when the test's file ends.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { SERVICE, SERVICE_OF_SOURCES } from './tapeloom-program.ts';

/**
 * What has not come by then never comes, on the slowest machine too: for every wait that only keeps a test from hanging. That something
 * is fast is proved by a clock that the test moves, not by this.
 */
export const WAIT_LIMIT_MS = 180_000;

/** For tests that look at no past but the days which the first streams need. */
export const NO_PAST = { TAPELOOM_SIM_DAYS: '0' };
/** For tests that look at no trades at all: what is made at a start is next to nothing. */
export const NO_TRADES = { ...NO_PAST, TAPELOOM_SIM_SCALE: '0.001' };

/** Stands where a portal would have to be built first. */
export const NO_PORTAL = join(import.meta.dirname, 'fixtures/no-portal');

export interface ServiceSetting {
  readonly data: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its limit on open files, where there is a shell to set one. */
  readonly openFiles?: number;
  /** What Node is given to run it, if it is not the service that was built. */
  readonly program?: readonly string[];
  /** The Node that is given it, if it is not ours. */
  readonly node?: string;
  /** Where it is started. */
  readonly cwd?: string;
  /** Words before its command, such as those that run it on another network. */
  readonly prefix?: readonly string[];
  /** Whether it leads a group of processes, as what is typed into a terminal does. */
  readonly leadsGroup?: boolean;
}

/** What the first start on a data directory printed. */
export interface FirstKeys {
  readonly live: string;
  readonly test: string;
}

export type StreamMessage = Readonly<Record<string, unknown>> & { readonly t: string };

const running = new Set<ChildProcess>();
/** By data directory: later starts print no keys, and the first ones still work. */
const firstKeys = new Map<string, FirstKeys>();
process.on('exit', killServices);

/** For the end of a test file: a service that a failed test left behind would keep the file from ending. */
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
        // From the sources it would build the portal, which few tests look at.
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

  /** What it said of itself that is no news of its ordinary life. */
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

  /** Resolves to the seconds since the start when the service says that it is ready. */
  async ready(): Promise<number> {
    await this.#outputShows(/^ {2}curl -H .*\/v1\/instruments.*\n/m);
    const printed = this.printedKeys;
    if (printed !== null) firstKeys.set(this.#data, printed);
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Resolves when its output has this. */
  async says(pattern: RegExp): Promise<void> {
    await this.#outputShows(pattern);
  }

  /** Resolves when what it logs from now on has this. */
  async logs(pattern: RegExp): Promise<void> {
    const before = this.errors.length;
    const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
    while (!pattern.test(this.errors.slice(before))) {
      await once(this.#child.stderr!, 'data', { signal: deadline });
    }
  }

  /** The keys this start has printed; null when it printed none. */
  get printedKeys(): FirstKeys | null {
    const key = (word: string) =>
      new RegExp(`^ {2}${word} key +(svc_${word}_\\S+)$`, 'm').exec(this.output)?.[1];
    const [live, test] = [key('live'), key('test')];
    return live === undefined || test === undefined ? null : { live, test };
  }

  /** The keys that the first start on this data directory printed. */
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

  /** The address printed behind this word. */
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

  /** With a key, by default the first live key; null: without a header, for a stream token. */
  connect(key: string | null = this.keys.live): TestSubscriber {
    return new TestSubscriber(this.address('stream'), key);
  }

  /** A connection that has been answered, so it is known to be open with all its rights. */
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

/** The same promise, or a failure when it takes longer than a busy machine could excuse. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ms);
  const timeout = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`${what} took longer than ${ms} ms`)));
  });
  return Promise.race([promise, timeout]);
}

/** A WebSocket that keeps all messages in order. */
export class TestSubscriber {
  readonly messages: StreamMessage[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;

  constructor(url: string, key: string | null) {
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    this.#socket = new WebSocket(url, { headers });
    // A connection that is lost tells by its close; how it was lost is of no interest.
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

  /** From now on nothing is read, as by a customer who went to sleep. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** The first message that satisfies `is`, whether it has come already or will. */
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

/**
 * Loaded before test files by `npm test -- --validated`, and by the services that they start: every response of our
 * HTTP servers in this process is checked against the contract. Each distinct fault becomes a line of the file in
 * `VALIDATED_FAULTS`, and so does the number of checked responses when the process ends. The file beside it, `.shown`,
 * gets the statuses that were seen.
 */

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AnsweredResponse, ContractJudge } from './contract-judge.ts';

/** The channel on which `RestService` publishes injected responses, which pass no Node server. */
const INJECTED = 'tapeloom:rest-answers';
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

interface InjectedAnswer {
  readonly method: string;
  readonly url: string;
  readonly answer: {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly rawPayload: Buffer;
  };
}

const path = process.env.VALIDATED_FAULTS;
if (path !== undefined && isMainThread) watch(path);

function watch(file: string): void {
  const judge = new ContractJudge();
  const told = new Set<string>();
  const shown = new Set<string>();
  let judged = 0;
  process.on('exit', () => {
    appendFileSync(file, `${JSON.stringify({ judged })}\n`);
    try {
      appendFileSync(`${file}.shown`, `${JSON.stringify([...shown])}\n`);
    } catch {
      // Tests of full disks limit the file size of their process; other processes show the same statuses.
    }
  });
  const note = (answered: AnsweredResponse) => {
    const faults = judge.faults(answered);
    if (faults === null) return;
    judged += 1;
    shown.add(judge.shownBy(answered));
    for (const fault of faults.filter((one) => !told.has(one))) {
      told.add(fault);
      appendFileSync(file, `${JSON.stringify({ fault, url: answered.url })}\n`);
    }
  };
  subscribe(INJECTED, (message) => {
    const { method, url, answer } = message as InjectedAnswer;
    const headers = new Map(
      Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = decoded(answer.rawPayload, headers);
    note({ method, url, status: answer.statusCode, headers, body });
  });
  const { emit } = Server.prototype;
  Server.prototype.emit = function (this: Server, event: string | symbol, ...args: unknown[]) {
    if (event === 'request') {
      const [request, response] = args as [IncomingMessage, ServerResponse];
      collect(request, response);
    }
    return Reflect.apply(emit, this, [event, ...args]) as boolean;
  } as typeof emit;

  function collect({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: unknown, encoding: unknown) => {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
      const text = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
      const piece = typeof chunk === 'string' ? Buffer.from(chunk, text) : Buffer.from(chunk);
      bytes += piece.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(piece);
    };
    for (const name of ['write', 'end'] as const) {
      const original = response[name] as (...args: unknown[]) => unknown;
      response[name] = function (this: ServerResponse, ...args: unknown[]) {
        keep(args[0], args[1]);
        return Reflect.apply(original, this, args);
      } as never;
    }
    response.once('finish', () => {
      const [, ...lines] = String(Reflect.get(response, '_header')).split('\r\n');
      const headers = new Map<string, string>();
      for (const line of lines) {
        const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? [];
        if (name !== undefined) headers.set(name.toLowerCase(), value!);
      }
      const body = bytes > BODY_BYTES_MAX ? null : decoded(Buffer.concat(chunks), headers);
      note({ method, url, status: response.statusCode, headers, body });
    });
  }
}

function decoded(bytes: Buffer, headers: ReadonlyMap<string, string>): Buffer {
  const decode = DECODERS[headers.get('content-encoding') ?? ''];
  return decode === undefined || bytes.length === 0 ? bytes : decode(bytes);
}

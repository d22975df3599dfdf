/**
 * Reads the definitions of contracts in a short session of a Databento gateway: it repeats those of the week, and says
 * when it has. Later ones replace earlier ones.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { type DbnDefinition, DefinitionDecoder } from '../../../feeds/dbn/dbn-definitions.ts';
import {
  ERROR_CODES,
  type GatewayRecord,
  SYSTEM_CODES,
} from '../../../feeds/dbn/gateway-records.ts';
import type { FeedMessage } from '../feed.ts';
import type { FeedSocket, Network } from '../network.ts';
import { reasonOf } from '../reason-of.ts';
import { VenueError } from '../venue-kind.ts';
import { HEAD_BYTES_MAX } from './databento-reader.ts';
import { GatewayDialogue, withoutKey } from './gateway-dialogue.ts';
import { authRefusal, endByError, type GatewayEnd, mayPass } from './gateway-errors.ts';
import { subscriptionLines } from './subscription-lines.ts';

const SESSION_MS_MAX = 60_000;
const EVERYTHING = 0n as EpochNs;

interface DefinitionSessionOptions {
  readonly address: string;
  readonly key: string;
  readonly dataset: string;
  readonly venueSymbols: readonly string[];
}

/** The newest definition of each contract; those that the venue does not know are absent. */
export async function readDefinitionsOf(
  network: Network,
  options: DefinitionSessionOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DbnDefinition>> {
  const { address } = options;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SESSION_MS_MAX)]);
  const session = new DefinitionSession(options);
  const done = Promise.withResolvers<void>();
  const fail = (why: string, isTemporary: boolean) =>
    done.reject(new VenueError(`${address}: ${why}`, isTemporary));
  const onAbort = () => {
    // The gateway may not say that it has repeated all.
    if (!signal.aborted && session.hasAll) done.resolve();
    else fail('no answer in time', true);
  };
  limit.addEventListener('abort', onAbort, { once: true });
  let socket: FeedSocket | null = null;
  try {
    limit.throwIfAborted();
    socket = network.connect(address, {
      opened: () => undefined,
      message: (message) => {
        for (const reply of session.read(message)) socket?.send(reply);
        const { failure } = session;
        if (failure !== null) fail(failure.why, failure.isTemporary);
        else if (session.isCompleted) done.resolve();
      },
      closed: (why) => fail(`the connection ended: ${why}`, true),
    });
    await done.promise;
    return session.definitions;
  } catch (error) {
    if (error instanceof VenueError) throw error;
    throw new VenueError(`${address}: ${reasonOf(error)}`, true, { cause: error });
  } finally {
    limit.removeEventListener('abort', onAbort);
    socket?.close();
  }
}

class DefinitionSession {
  readonly definitions = new Map<string, DbnDefinition>();
  failure: { readonly why: string; readonly isTemporary: boolean } | null = null;
  readonly #options: DefinitionSessionOptions;
  readonly #dialogue: GatewayDialogue;
  readonly #decoder: DefinitionDecoder;
  isCompleted = false;

  constructor(options: DefinitionSessionOptions) {
    this.#options = options;
    const { key, dataset, venueSymbols } = options;
    const wanted = venueSymbols.map((venueSymbol) => ({ venueSymbol, start: EVERYTHING }));
    const subscribe = () => subscriptionLines('definition', wanted);
    this.#dialogue = new GatewayDialogue({ key, dataset, subscribe });
    this.#decoder = new DefinitionDecoder({
      headBytesMax: HEAD_BYTES_MAX,
      onGatewayRecord: (record) => this.#record(record),
    });
  }

  get hasAll(): boolean {
    return this.#options.venueSymbols.every((venueSymbol) => this.definitions.has(venueSymbol));
  }

  /** What to reply. */
  read(message: FeedMessage): readonly string[] {
    const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message;
    const replies: string[] = [];
    let rest = bytes;
    if (!this.#dialogue.isOver) {
      const taken = this.#dialogue.take(bytes);
      rest = taken.rest;
      for (const step of taken.steps) {
        if (step.kind === 'reply') replies.push(step.message);
        else if (step.kind === 'garbled') this.#fail(`not understood: ${step.why}`, true);
        else this.#end(authRefusal(step.why));
      }
    }
    if (this.failure === null && rest.length > 0) this.#decode(rest);
    return replies;
  }

  #decode(bytes: Uint8Array): void {
    try {
      for (const definition of this.#decoder.push(bytes)) this.#take(definition);
    } catch (error) {
      this.#fail(`not understood: ${reasonOf(error)}`, false);
    }
  }

  #take(definition: DbnDefinition): void {
    const { rawSymbol } = definition;
    if (!this.#options.venueSymbols.includes(rawSymbol)) return;
    const known = this.definitions.get(rawSymbol);
    if (known === undefined || (known.event ?? 0n) <= (definition.event ?? 0n)) {
      this.definitions.set(rawSymbol, definition);
    }
  }

  #record(record: GatewayRecord): void {
    if (record.kind === 'system') {
      if (record.code === SYSTEM_CODES.replayCompleted) this.isCompleted = true;
    } else if (record.kind === 'error' && record.code !== ERROR_CODES.symbolResolution) {
      this.#end(endByError(record.code, withoutKey(record.text, this.#options.key)));
    }
  }

  #end(end: GatewayEnd): void {
    this.#fail(end.why, mayPass(end));
  }

  #fail(why: string, isTemporary: boolean): void {
    this.failure ??= { why, isTemporary };
  }
}

/** An assistant from the SDK, our tools, and the real routes behind the client library. */

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { RestClient } from '@tapeloom/client';
import { fillMarket } from '../../server/testing/history/history-market.ts';
import { HistoryReader } from '../../server/testing/history/history-requests.ts';
import { RestService } from '../../server/testing/rest/rest-service.ts';
import { createMcpServer, type McpServerOptions } from '../src/mcp/mcp-server.ts';
import { pngOf } from '../src/mcp/png.ts';
import { Spending } from '../src/mcp/spending.ts';

/** Ten minutes with a trade every five seconds. */
export const TEN_MINUTES = {
  instrument: 'ESZ6',
  from: '2026-11-10T14:30:00Z',
  to: '2026-11-10T14:40:00Z',
};
export const TRADES = 120;
export const LIMITS = { perCall: 2_000, total: 20_000 };
/** For tests that are not about costs. */
export const ANY_COST = { perCall: 1e6, total: 1e9 };

export interface Assistant extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args?: object, signal?: AbortSignal): Promise<CallToolResult>;
  data<Data>(name: string, args?: object): Promise<Data>;
  /** The text of a tool's error. */
  refused(name: string, args?: object): Promise<string>;
}

export class AssistantRig implements AsyncDisposable {
  readonly service: RestService;
  readonly url: string;
  readonly #key: string;
  readonly reader: HistoryReader;

  private constructor(service: RestService, url: string, key: string) {
    this.service = service;
    this.url = url;
    this.#key = key;
    this.reader = new HistoryReader(service, key);
  }

  static async start(): Promise<AssistantRig> {
    const service = await RestService.start();
    fillMarket(service);
    const key = await service.customer('live_history');
    return new AssistantRig(service, `http://127.0.0.1:${await service.listen()}`, key);
  }

  async assistant(options: Partial<McpServerOptions> = {}): Promise<Assistant> {
    const server = createMcpServer({
      version: '1.2.3',
      service: new RestClient({ url: this.url, key: this.#key }),
      spending: new Spending(LIMITS),
      now: () => Date.parse('2026-11-11T16:00:00Z'),
      png: pngOf,
      ...options,
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '0' });
    await Promise.all([server.connect(far), client.connect(near)]);
    // The SDK validates results against their schema only after the tools were listed.
    await client.listTools();
    const call: Assistant['call'] = (name, args = {}, signal) =>
      client.callTool(
        { name, arguments: { ...args } },
        undefined,
        signal && { signal },
      ) as Promise<CallToolResult>;
    return {
      client,
      call,
      async data<Data>(name: string, args?: object) {
        const result = await call(name, args);
        assert.ok(!result.isError, textOf(result));
        assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
        return result.structuredContent as Data;
      },
      async refused(name, args) {
        const result = await call(name, args);
        assert.equal(result.isError, true, textOf(result));
        return textOf(result);
      },
      [Symbol.asyncDispose]: () => client.close(),
    };
  }

  /** The compute units charged during `work`. */
  async spentBy(work: () => Promise<unknown>): Promise<number> {
    const before = (await this.reader.usage()).used.computeUnits;
    await work();
    return (await this.reader.usage()).used.computeUnits - before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

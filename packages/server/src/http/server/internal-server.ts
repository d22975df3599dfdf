/**
 * The operator's port, bound to the loopback unless configured otherwise: metrics, health, topics with their sharing,
 * pushed trades, and the mailbox in development. It is no part of the public interface.
 */

import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import type { MailboxAnswer, MailboxRequest } from '../../mail/development-mailbox.ts';
import { LOOPBACK_ADDRESS, LOOPBACK_HOST } from '../../platform/network/loopback.ts';
import { createServer } from '../../platform/network/node-http.ts';
import type { TopicFacts } from '../../topics/topic-counters.ts';
import type { PushRoutes } from '../push/push-routes.ts';

export interface InternalFacts {
  registry(): Promise<Registry>;
  /** Why the node cannot serve customers, or null when it can. */
  notReadyBecause(): string | null;
  /** The topics computed now. */
  topics(): readonly TopicFacts[];
  /** The development mailbox, while there is one. */
  mailbox?(request: MailboxRequest): MailboxAnswer | null;
  /** The endpoint for pushed trades. */
  readonly push?: Pick<PushRoutes, 'handle'>;
  onFault(error: unknown): void;
}

export function createInternalServer(facts: InternalFacts): Server {
  return createServer({ requestTimeout: 15_000, headersTimeout: 5_000 }, (request, response) => {
    const send = (status: number, type: string, body: string, headers = {}) => {
      response.writeHead(status, {
        'content-type': type,
        'cache-control': 'no-store',
        ...headers,
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const { url, headers, socket } = request;
    // Health reveals nothing useful to an attacker, and load balancers request it under their own host names.
    const isHealth = url?.startsWith('/health/') ?? false;
    if (!isHealth && isForeign(headers.host, socket.localAddress)) {
      return send(403, 'text/plain', 'this port responds only to requests for its own address\n');
    }
    if (facts.push?.handle(request, response)) return;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(405, 'text/plain', 'use GET\n');
    }
    const mails = facts.mailbox?.({ url, host: headers.host, address: socket.remoteAddress });
    if (mails) return send(mails.status, mails.type, mails.body, mails.headers);
    switch (request.url) {
      case '/health/live':
        return send(200, 'application/json', '{"live":true}\n');
      case '/health/ready': {
        const reason = facts.notReadyBecause();
        const body = JSON.stringify({ ready: reason === null, reason });
        return send(reason === null ? 200 : 503, 'application/json', `${body}\n`);
      }
      case '/metrics':
        metricsOf(facts).then(
          ({ type, text }) => send(200, type, text),
          (error: unknown) => {
            facts.onFault(error);
            send(500, 'text/plain', 'metrics failed\n');
          },
        );
        return;
      case '/topics':
        return send(200, 'application/json', `${JSON.stringify({ topics: facts.topics() })}\n`);
      default:
        return send(
          404,
          'text/plain',
          'not found; available: /metrics, /topics, /health/live and /health/ready\n',
        );
    }
  });
}

/** Rejects DNS rebinding to the loopback. Over other networks the operator's programs may use any host name. */
function isForeign(host = '', localAddress = ''): boolean {
  return LOOPBACK_ADDRESS.test(localAddress) && !LOOPBACK_HOST.test(host);
}

async function metricsOf(facts: InternalFacts): Promise<{ type: string; text: string }> {
  const registry = await facts.registry();
  return { type: registry.contentType, text: await registry.metrics() };
}

/** Limits of the stream. Numbers come from the code that enforces them: a test fails on a digit in this file. */

import { DEPTH_PARAMETER } from '@tapeloom/core/studies/bar-parameters';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import { SNAPSHOT_BYTES_MAX } from '@tapeloom/core/studies/published-objects';
import {
  MESSAGE_BYTES_MAX,
  PING_ID_BYTES_MAX,
  SUB_BYTES_MAX,
} from '@tapeloom/protocol/client-messages';
import { CONNECTS_PER_MINUTE } from '@tapeloom/server/accounts/auth/auth-throttle';
import { TOKEN_VALID_NS } from '@tapeloom/server/accounts/keys/keys-store';
import {
  IDLE_TOPICS_PER_SUBSCRIPTION,
  PER_MINUTE_MIN,
  TIMES_PER_MINUTE,
} from '@tapeloom/server/accounts/limits/cold-opens';
import { LEASE_SECONDS } from '@tapeloom/server/accounts/limits/leases';
import { AUTH_WITHIN_MS } from '@tapeloom/server/gateway/connection/connection';
import { HEARTBEAT_MS } from '@tapeloom/server/gateway/connection/connection-socket';
import { ROLL_NOTICE_NS } from '@tapeloom/server/gateway/connection/connection-subscriptions';
import { MESSAGE_RATE } from '@tapeloom/server/gateway/connection/message-rate';
import { SILENCE_MS_MAX } from '@tapeloom/server/gateway/connection/silence';
import {
  FRAGMENTS_MAX,
  SLOW_CLOSE_WITHIN_MS,
} from '@tapeloom/server/gateway/connection/socket-settings';
import { FREE_RESUME_NS } from '@tapeloom/server/gateway/delivery/start-verdict';
import { DEPTH_MAX } from '@tapeloom/server/gateway/wire/client-message';
import { OUTBOX_LIMITS } from '@tapeloom/server/gateway/wire/outbox';
import { STRANGERS_PER_ADDRESS_MAX } from '@tapeloom/server/platform/network/door-sockets';
import { AHEAD_MS_MAX } from '@tapeloom/server/runs/ahead-wait';
import { TOPIC_LINGER_MS } from '@tapeloom/server/topics/idle-topics';
import { STALE_AFTER_MS } from '@tapeloom/server/topics/topic-hub';
import type { LimitSection } from './limit-section.ts';
import { closed, count, size, span, spanOfNs, spanOfSeconds, told } from './limit-words.ts';

export const CONNECTING: LimitSection = {
  title: 'Connecting to the stream',
  lead: '',
  rows: [
    ['time until `auth`, without a header', span(AUTH_WITHIN_MS), closed('unauthorized')],
    [
      'a stream token',
      `${spanOfNs(TOKEN_VALID_NS)}, one connection`,
      `${closed('unauthorized')}; request a new one`,
    ],
    [
      'connections opened a minute',
      `${count(CONNECTS_PER_MINUTE)} for each connection of the plan`,
      closed('tryAgainLater'),
    ],
    [
      'connections of one address that have not authenticated',
      count(STRANGERS_PER_ADDRESS_MAX),
      `${closed('tryAgainLater')} for the one that has waited longest`,
    ],
    [
      'a connection that broke without a close frame',
      `counted for up to ${spanOfSeconds(LEASE_SECONDS)}`,
      closed('tooManyConnections'),
    ],
  ],
};

export const SENDING: LimitSection = {
  title: 'What you send on it',
  lead: '',
  rows: [
    ['a message, all fragments together', size(MESSAGE_BYTES_MAX), closed('messageTooBig')],
    ['fragments of a message', count(FRAGMENTS_MAX), closed('tooManyMessages')],
    ['nesting of objects and lists in a message', count(DEPTH_MAX), told('INVALID_PARAMETERS')],
    [
      'frames, pings and pongs included',
      `${count(MESSAGE_RATE.perSecond)} a second, ${count(MESSAGE_RATE.burst)} in a burst`,
      closed('tooManyMessages'),
    ],
    ['time without any frame from you', span(SILENCE_MS_MAX), closed('tooSlow', 'pingTimeout')],
    [
      '`sub`, in UTF-8; unique on its connection',
      `${count(SUB_BYTES_MAX)} bytes`,
      told('INVALID_PARAMETERS'),
    ],
    ['`id` of a `ping`', `${count(PING_ID_BYTES_MAX)} bytes`, told('INVALID_PARAMETERS')],
    [
      'new streams a minute: streams that the service does not compute at the moment',
      `${count(TIMES_PER_MINUTE)} times the subscriptions of the plan, ${count(PER_MINUTE_MIN)} at least`,
      `${told('RATE_LIMITED')}; the message says when`,
    ],
  ],
};

export const RECEIVING: LimitSection = {
  title: 'What you receive on it',
  lead: 'See [slow readers](concepts/slow-readers.md) and [resume and reset](concepts/resume.md).',
  rows: [
    [
      'versions of a forming object',
      `the newest one every ${spanOfNs(FLUSH_STEP_NS)}, or less often for large objects`,
      'versions between are not sent; the last one always is',
    ],
    [
      'a heartbeat `hb`',
      `every ${span(HEARTBEAT_MS)}`,
      'if none comes for long, the connection is lost: reconnect',
    ],
    [
      'pending output, first limit',
      size(OUTBOX_LIMITS.skipFromBytes),
      'versions that newer ones have replaced are skipped',
    ],
    [
      'pending output, second limit',
      size(OUTBOX_LIMITS.bytesMax),
      `${closed('tooSlow', 'slowConsumer')}; ${span(SLOW_CLOSE_WITHIN_MS)} to read it`,
    ],
    [
      'a snapshot',
      `${size(SNAPSHOT_BYTES_MAX)}, and \`depth\` objects: ${count(DEPTH_PARAMETER.default as number)} by default, ${count(DEPTH_PARAMETER.maximum!)} at most`,
      'the oldest objects are left out',
    ],
    [
      'age of a cursor from which you can always resume',
      `${spanOfNs(FREE_RESUME_NS)} of updates, less on very busy streams`,
      'catch-up from history if the plan covers it, otherwise `reset` `cursor_expired` and a snapshot',
    ],
    [
      'a cursor ahead of the data the key can see',
      `a wait of ${span(AHEAD_MS_MAX)}`,
      `${told('INVALID_PARAMETERS')}, or \`reset\` on a delayed stream`,
    ],
    [
      'the service keeps a stream that you left',
      `${span(TOPIC_LINGER_MS)}, for ${count(IDLE_TOPICS_PER_SUBSCRIPTION)} times the subscriptions of the plan`,
      'it is built again when you come back; nothing is lost',
    ],
    ['notice of a roll', `up to ${spanOfNs(ROLL_NOTICE_NS)} before`, ''],
    ['silence of the source of an open market', span(STALE_AFTER_MS), '`status` `stale`'],
  ],
};

/**
 * One subscription of a client that keeps the rules of the protocol: a snapshot replaces its state, a reset empties it,
 * an update whose cursor is not greater than the last one is ignored, and an `hb` only raises the cursor. It records
 * every cursor it may resume from.
 */

import assert from 'node:assert/strict';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';

export class RuleKeepingClient {
  readonly state = new Map<string, string>();
  readonly cursors: string[] = [];
  readonly kinds: string[] = [];
  isRefused = false;
  #isReset = false;

  hear(message: ServerMessage): void {
    this.kinds.push(message.t);
    switch (message.t) {
      case 'reset':
        this.#forget();
        this.#isReset = true;
        return;
      case 'snapshot':
        this.#forget();
        this.#isReset = false;
        for (const { id, data } of message.items) this.state.set(id, textOf(data));
        this.cursors.push(message.cursor);
        return;
      case 'upsert':
      case 'remove': {
        assert.ok(!this.#isReset, 'a snapshot follows a reset');
        const last = this.cursors.at(-1);
        assert.ok(last !== undefined, 'no update comes before a snapshot');
        if (compareTexts(message.cursor, last) <= 0) return;
        this.cursors.push(message.cursor);
        if (message.t === 'upsert') this.state.set(message.id, textOf(message.data));
        else this.state.delete(message.id);
        return;
      }
      case 'hb': {
        const last = this.cursors.at(-1);
        if (last === undefined || compareTexts(message.cursor!, last) > 0) {
          this.cursors.push(message.cursor!);
        }
        return;
      }
      case 'error':
        this.isRefused = true;
        return;
      default:
    }
  }

  #forget(): void {
    this.state.clear();
    this.cursors.length = 0;
  }
}

function compareTexts(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}

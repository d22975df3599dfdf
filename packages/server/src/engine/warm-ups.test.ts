import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../testing/stream/engine-run.ts';
import { HALF_LIFE_MS, MARGIN_MS, WarmUps } from './warm-ups.ts';

/** Warm-ups that take a set number of turns, each as long as the test lets it. */
class Stage {
  ms = 0;
  readonly log: string[] = [];
  readonly done: string[] = [];
  readonly #turns = new Map<string, number>();
  #yielded: (() => void)[] = [];
  readonly warmUps = new WarmUps<string>({
    nowMs: () => this.ms,
    yieldTurn: () => new Promise((resolve) => this.#yielded.push(resolve)),
    run: async (topic, yieldTurn) => {
      for (let left = this.#turns.get(topic)!; left > 0; left -= 1) {
        this.log.push(topic);
        this.ms += 100;
        await yieldTurn();
      }
      this.done.push(topic);
    },
  });

  add(topic: string, account: string, turns = 1): void {
    this.#turns.set(topic, turns);
    this.warmUps.add(topic, [account]);
  }

  /** All that yielded resume, as after a turn of the event loop. */
  async turn(): Promise<void> {
    const yielded = this.#yielded;
    this.#yielded = [];
    for (const resolve of yielded) resolve();
    await settle();
  }

  async finish(): Promise<void> {
    for (let turns = 0; turns < 1_000 && this.#yielded.length > 0; turns += 1) await this.turn();
    assert.equal(this.warmUps.waitingCount, 0);
  }
}

test('a newcomer is next, whatever one account has asked for before it [SEC-37]', async () => {
  const stage = new Stage();
  for (let index = 0; index < 100; index += 1) stage.add(`heavy ${index}`, 'heavy', 20);
  for (let turns = 0; turns < 5; turns += 1) await stage.turn();
  stage.add('light', 'light', 3);
  await stage.turn();
  stage.log.length = 0;
  while (!stage.done.includes('light')) await stage.turn();
  const until = stage.log.slice(0, stage.log.lastIndexOf('light') + 1);
  assert.deepEqual([...new Set(until)], ['light'], 'what was at work pauses meanwhile');
  await stage.finish();
  assert.equal(stage.done.length, 101);
});

test('of those that wait, who used least goes first, and what was used is forgotten [SEC-37]', async () => {
  const stage = new Stage();
  stage.add('a', 'much', 30);
  stage.add('b', 'some', 10);
  await stage.finish();
  stage.done.length = 0;
  const ask = () => {
    for (const topic of ['m1', 'm2', 'm3']) stage.add(topic, 'much');
    for (const topic of ['s1', 's2']) stage.add(topic, 'some');
    stage.add('n1', 'none');
  };
  stage.add('blocking', 'none', 8);
  ask();
  await stage.finish();
  assert.deepEqual(stage.done.toSorted().length, 7);
  const first = (account: string) => stage.done.findIndex((topic) => topic.startsWith(account));
  assert.ok(first('n') < first('s') && first('s') < first('m'), stage.done.join(' '));
  stage.ms += 20 * HALF_LIFE_MS;
  stage.done.length = 0;
  ask();
  await stage.finish();
  assert.equal(stage.done[0], 'm1', 'who asked first goes first again');
});

test('a topic is worth the best of those who wait for it, as they come and go', async () => {
  const stage = new Stage();
  stage.add('used', 'heavy', (4 * MARGIN_MS) / 100);
  await stage.finish();
  for (const index of [1, 2, 3, 4]) stage.add(`other ${index}`, `other ${index}`, 3);
  stage.add('h1', 'heavy');
  stage.add('h2', 'heavy');
  assert.equal(stage.warmUps.waitingCount, 2);
  stage.warmUps.wanted('h2', ['heavy', 'light']);
  stage.warmUps.wanted('h1', ['heavy', 'light']);
  stage.warmUps.wanted('h1', ['heavy']);
  await stage.finish();
  const done = stage.done.filter((topic) => topic.startsWith('h'));
  assert.deepEqual(done, ['h2', 'h1']);
});

test('what pauses and is no longer wanted goes on to its end', async () => {
  const stage = new Stage();
  stage.add('heavy', 'heavy', 20);
  for (let turns = 0; turns < 5; turns += 1) await stage.turn();
  stage.add('light', 'light', 20);
  await stage.turn();
  assert.equal(stage.warmUps.waitingCount, 1);
  stage.warmUps.delete('heavy');
  assert.equal(stage.warmUps.waitingCount, 0);
  stage.warmUps.clear();
  await stage.finish();
});

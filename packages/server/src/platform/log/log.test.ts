import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';
import { LogLimit } from './log-limit.ts';

const SECRET = 'svc_live_0123456789abcdefghijklmnopq';
const TOKEN = 'svc_token_0123456789abcdefghijklmnopq';

function capture(readable: boolean) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', readable, write: (line) => lines.push(line) });
  return { log, lines };
}

test('secrets never reach a line, whatever field or text they sit in', () => {
  for (const readable of [false, true]) {
    const { log, lines } = capture(readable);
    log.info({ req: { headers: { authorization: `Bearer ${SECRET}`, cookie: 'sid=hunter2' } } });
    log.info({ headers: { 'x-export-token': 'hunter2', 'set-cookie': ['hunter2'] } });
    log.info({ token: 'hunter2', message: { token: 'hunter2', resume: 'hunter2' } });
    log.info(
      { url: '/v1/export?line=4&resume=hunter2&x=1' },
      `key ${SECRET} was refused, as was ${TOKEN}`,
    );
    log.error({ error: new Error(`no such key ${SECRET}`, { cause: new Error(SECRET) }) });
    const text = lines.join('');
    assert.equal(lines.length, 5);
    assert.ok(!text.includes('hunter2'), text);
    assert.ok(!text.includes(SECRET) && !text.includes(TOKEN), text);
    assert.ok(text.includes('svc_live_[redacted]'));
  }
});

test('a terminal gets one readable line, with the stack of an error below it', () => {
  const { log, lines } = capture(true);
  log.warn({ port: 8080, why: 'two words' }, 'listening');
  log.error({ error: new TypeError('broken') }, 'failed');
  assert.match(lines[0]!, /^\d\d:\d\d:\d\d\.\d{3} warn {2}listening port=8080 why="two words"\n$/);
  assert.match(lines[1]!, /ERROR failed\nTypeError: broken\n {4}at /);
});

test('JSON lines carry an ISO time, the level and the fields', () => {
  const { log, lines } = capture(false);
  log.info({ port: 8080 }, 'listening');
  const { time, ...rest } = JSON.parse(lines[0]!) as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual(rest, { level: 30, port: 8080, msg: 'listening' });
});

test('more lines than the limit are left out and counted, the next says how many, and a last word is always written [SEC-36]', () => {
  let nowMs = 0;
  const limit = new LogLimit({ now: () => nowMs, atOnce: 10, perSecond: 5 });
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLog({ level: 'info', readable: false, write, limit });
  for (let line = 0; line < 100_000; line += 1) log.error('again');
  assert.equal(lines.length, 10);
  assert.equal(limit.leftOutTotal, 99_990);
  nowMs = 1_000;
  log.info('a second later');
  assert.equal(lines.length, 12);
  assert.match(lines[10]!, /a second later/);
  assert.match(lines[11]!, /"leftOut":99990,.*log lines were dropped before/);
  for (let line = 0; line < 10; line += 1) log.error('again');
  assert.equal(lines.length, 16, 'five a second, of which one is used');
  log.fatal('the last word');
  assert.match(lines[16]!, /the last word/);
  log.debug('not of this level, and not counted');
  assert.equal(limit.leftOutTotal, 99_996);
});

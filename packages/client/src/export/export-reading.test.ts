import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { problem, ScriptedHttp } from '../../../../simulation/network/scripted-http.ts';
import {
  EXPORT_TOKEN,
  exportBody,
  exportLines,
  exportServer,
  serve,
  wantedLine,
} from '../../testing/scripted-export.ts';
import { RestClient } from '../rest.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { ExportReading, ExportRequest } from './export-reading.ts';
import { ZstdFrames } from './zstd-frames.ts';

const REQUEST = { indicator: 'bars', instrument: 'ES.c.0', from: '2026-11-12' } as const;
const LINES = exportLines(20);

interface Stage {
  readonly server: ScriptedHttp;
  readonly clock: HurriedClock;
  export(request?: Partial<ExportRequest<'bars'>>): ExportReading<'bars'>;
}

/** Runs with a server and its client, and checks that neither leaves anything behind. */
async function staged(
  server: Promise<ScriptedHttp>,
  run: (stage: Stage) => Promise<void>,
  options: { readonly maxRetries?: number } = {},
) {
  const stage = { server: await server, clock: new HurriedClock() };
  const { url } = stage.server;
  const client = new RestClient({ url, key: 'svc_live_x', clock: stage.clock, ...options });
  try {
    await run({ ...stage, export: (more) => client.export({ ...REQUEST, ...more }) });
    assert.equal(stage.clock.pending, 0);
  } finally {
    await stage.server.close();
  }
}

async function all<T>(iterable: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of iterable) found.push(one);
  return found;
}

/** The lines of a file of frames. Each frame is expanded alone, since Node 22 and 24 stop after the first. */
function linesOf(pieces: readonly Uint8Array[]): readonly string[] {
  const frames = new ZstdFrames();
  let text = '';
  let frame: Uint8Array[] = [];
  for (const { bytes, isEnd } of pieces.flatMap((piece) => frames.push(piece))) {
    frame.push(bytes);
    if (!isEnd) continue;
    text += zstdDecompressSync(Buffer.concat(frame)).toString();
    frame = [];
  }
  assert.ok(frames.isBetweenFrames);
  return text.split('\n').slice(0, -1);
}

async function failure(reading: AsyncIterable<unknown>): Promise<TapeloomError> {
  const error = await all(reading).then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TapeloomError, String(error));
  return error;
}

test('lines come parsed, from the header to the end, out of many frames', async () => {
  await staged(exportServer(LINES), async ({ server, export: exported }) => {
    const reading = exported({ params: { size: 5 }, to: 5n, idempotencyKey: 'once' });
    assert.equal(reading.token, null);
    const lines = await all(reading);
    assert.equal(lines.length, 22);
    assert.equal(lines[0]!.t, 'header');
    assert.deepEqual(lines[4], {
      t: 'upsert',
      cursor: '20261112.4.1',
      object: {
        id: '20261112.4',
        final: true,
        ts: 1_794_493_800_000_000_003n,
        data: { open: 3, note: 'ä€🧵ä€🧵ä€🧵' },
      },
    });
    assert.deepEqual(lines.at(-1), { t: 'end', items: 20 });
    assert.equal(reading.token, EXPORT_TOKEN);
    assert.equal(reading.lines, 22);
    assert.ok(reading.isWhole);
    const [{ query, headers }] = server.requests as [(typeof server.requests)[0]];
    assert.deepEqual(Object.fromEntries(query), {
      instrument: 'ES.c.0',
      indicator: 'bars',
      params: '{"size":5}',
      from: '2026-11-12',
      to: '5',
    });
    assert.equal(headers['idempotency-key'], 'once');
    assert.equal(server.requests.length, 1);
  });
});

test('several studies come one after the other, each line with its own', async () => {
  const marked = (study: number) =>
    exportLines(3)
      .slice(1, -1)
      .map((line) => line.replace(',', `,"indicator":"bars","study":${study},`));
  const lines = [LINES[0]!, ...marked(0), ...marked(1), '{"t":"end","items":6}'];
  const studies = [{ indicator: 'bars', params: { size: 5 } }, { indicator: 'bars' }];
  const { indicator: _indicator, ...rest } = REQUEST;
  const server = await exportServer(lines, (count) => (count === 1 ? 400 : undefined));
  const client = new RestClient({ url: server.url, key: 'svc_live_x', clock: new HurriedClock() });
  try {
    const reading = client.export({ ...rest, studies });
    const found = await all(reading);
    const named = found.flatMap((line) => ('study' in line ? [[line.indicator, line.study]] : []));
    assert.deepEqual(
      named,
      [0, 0, 0, 1, 1, 1].map((study) => ['bars', study]),
    );
    assert.equal(reading.study, 1);
    const { query } = server.requests[0]!;
    assert.deepEqual(query.getAll('indicator'), ['bars', 'bars']);
    assert.deepEqual(query.getAll('params'), ['{"size":5}', '{}']);
    const other = { ...rest, studies: [studies[0]!, { indicator: 'delta' }] };
    assert.match((await failure(client.export(other))).message, /no study that is due there/);
    assert.throws(() => client.export({ ...rest, studies: [studies[0]!] }), /several indicators/);
  } finally {
    await server.close();
  }
});

test('an export cut anywhere, in frames and lines too, gives every line once, as lines and as a file', async () => {
  const whole = exportBody(LINES);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: whole.length - 1 }), { maxLength: 4 }),
      fc.boolean(),
      async (cuts, asFile) => {
        await staged(
          exportServer(LINES, (count) => cuts[count - 1]),
          async ({ server, export: exported }) => {
            const reading = exported();
            if (asFile) assert.deepEqual(linesOf(await all(reading.bytes())), LINES);
            else assert.deepEqual((await all(reading)).length, LINES.length);
            assert.ok(reading.isWhole);
            assert.ok(server.requests.length >= Math.min(2, cuts.length + 1));
            for (const { query } of server.requests.slice(1)) {
              assert.equal(query.get('resume'), EXPORT_TOKEN);
            }
          },
        );
      },
    ),
    { numRuns: 25 },
  );
});

test('an answer that ends like a whole one, before the end line, is a cut', async () => {
  const server = ScriptedHttp.start((response, request, count) =>
    serve(response, {
      body: exportBody(LINES.slice(wantedLine(request), count === 1 ? 9 : undefined)),
    }),
  );
  await staged(server, async ({ clock, export: exported }) => {
    assert.equal((await all(exported())).length, 22);
    assert.deepEqual(clock.waits, [1_000]);
  });
});

test('the first request is not sent again when it fails before its token [CLIENT-40]', async () => {
  const faults: ((response: Parameters<typeof serve>[0]) => unknown)[] = [
    (response) => response.destroy(),
    (response) => problem(response, 503, 'CAPACITY', {}, { 'retry-after': '1' }),
    (response) => problem(response, 500, 'INTERNAL'),
    (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
    (response) => serve(response, { body: exportBody(LINES), token: null }),
    (response) => serve(response, { body: exportBody(LINES), token: null, cutAfter: 3 }),
  ];
  for (const fault of faults) {
    for (const asFile of [false, true]) {
      await staged(
        ScriptedHttp.start((response) => fault(response)),
        async ({ server, clock, export: exported }) => {
          await failure(asFile ? exported().bytes() : exported());
          assert.equal(server.requests.length, 1);
          assert.deepEqual(clock.waits, []);
        },
      );
    }
  }
});

test('five resumes in a row without a new line are the limit, 1, 2, 4, 8 and 16 s apart [CLIENT-41] [CLIENT-42] [CLIENT-43]', async () => {
  for (const asFile of [false, true]) {
    await staged(
      exportServer(LINES, () => 3),
      async ({ server, clock, export: exported }) => {
        const error = await failure(asFile ? exported().bytes() : exported());
        assert.equal(error.code, 'NETWORK');
        assert.equal(server.requests.length, 6);
        assert.deepEqual(clock.waits, [1_000, 2_000, 4_000, 8_000, 16_000]);
      },
    );
  }
});

test('more resumes than five are at most 30 s apart [CLIENT-43]', async () => {
  await staged(
    exportServer(LINES, () => 3),
    async ({ clock, export: exported }) => {
      await failure(exported());
      assert.deepEqual(clock.waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    },
    { maxRetries: 7 },
  );
});

test('a new line begins the count and the delays anew [CLIENT-41] [CLIENT-42]', async () => {
  // Every third answer completes a frame. There are nine frames, with three lines in all but the last.
  const length = exportBody(LINES.slice(0, 3)).length;
  const cuts = (count: number) => (count % 3 === 0 ? length : 2);
  await staged(exportServer(LINES, cuts), async ({ clock, server, export: exported }) => {
    assert.equal((await all(exported())).length, 22);
    assert.ok(server.requests.length > 20);
    // Before each answer with a frame come two without one; after it the connection is cut.
    const [first, second, ...rest] = clock.waits;
    assert.deepEqual([first, second], [1_000, 2_000]);
    for (const [at, wait] of rest.entries()) assert.equal(wait, [1_000, 2_000, 4_000][at % 3]);
  });
});

test('a resume that is refused for good ends the export with that code [CLIENT-26]', async () => {
  const server = ScriptedHttp.start((response, _request, count) =>
    count === 1
      ? serve(response, { body: exportBody(LINES), cutAfter: 100 })
      : problem(response, 410, 'CURSOR_EXPIRED'),
  );
  await staged(server, async ({ server: asked, export: exported }) => {
    assert.equal((await failure(exported())).code, 'CURSOR_EXPIRED');
    assert.equal(asked.requests.length, 2);
  });
});

test('a resume that is refused for a while is asked for again', async () => {
  const server = ScriptedHttp.start((response, request, count) => {
    if (count === 1) serve(response, { body: exportBody(LINES), cutAfter: 100 });
    else if (count === 2) problem(response, 503, 'CAPACITY', {}, { 'retry-after': '7' });
    else if (count === 3) response.writeHead(502, { 'content-type': 'text/html' }).end('<html>');
    else serve(response, { body: exportBody(LINES.slice(wantedLine(request))) });
  });
  await staged(server, async ({ clock, export: exported }) => {
    assert.equal((await all(exported())).length, 22);
    assert.deepEqual(clock.waits, [1_000, 7_000, 4_000]);
  });
});

test('lines that repeat, lack or are none are INVALID_RESPONSE, and no line is given twice', async () => {
  const [header, first, second] = LINES as [string, string, string];
  const end = (items: number) => JSON.stringify({ t: 'end', items });
  const liars: [string, readonly string[]][] = [
    ['a result twice', [header, first, second, first, end(3)]],
    ['the header twice', [header, header, first, end(1)]],
    ['no header', [first, second, end(2)]],
    ['too few', [header, first, end(2)]],
    ['no JSON', [header, 'first']],
    ['no result', [header, '{"t":"other"}', end(1)]],
    ['nothing', [header, 'null', end(1)]],
  ];
  for (const [name, lines] of liars) {
    await staged(exportServer(lines), async ({ export: exported }) => {
      const reading = exported();
      const seen = new Set<string>();
      await assert.rejects(
        async () => {
          for await (const line of reading) {
            if (!('cursor' in line)) continue;
            assert.ok(!seen.has(line.cursor));
            seen.add(line.cursor);
          }
        },
        { code: 'INVALID_RESPONSE' },
        name,
      );
      assert.equal(reading.isWhole, false);
    });
  }
});

test('a server that sends lines again after a resume is found out', async () => {
  const server = ScriptedHttp.start((response, _request, count) =>
    serve(response, {
      body: exportBody(count === 1 ? LINES.slice(0, 9) : LINES.slice(4)),
    }),
  );
  await staged(server, async ({ export: exported }) => {
    assert.match((await failure(exported())).message, /repeats/);
  });
});

test('what is not zstd, or damaged, is asked for again and then given up', async () => {
  const damaged = zstdCompressSync('some text that is long enough to be damaged '.repeat(9));
  damaged.fill(0xff, 8);
  for (const body of [Buffer.from('<html>not what was asked for</html>'), damaged]) {
    const server = ScriptedHttp.start((response) => serve(response, { body }));
    await staged(server, async ({ server: asked, export: exported }) => {
      assert.equal((await failure(exported())).code, 'INVALID_RESPONSE');
      assert.equal(asked.requests.length, 6);
    });
  }
});

test('a resume that is answered with a page of somebody else is not taken for lines', async () => {
  const server = ScriptedHttp.start((response, request, count) => {
    if (count === 1) serve(response, { body: exportBody(LINES), cutAfter: 100 });
    else if (count === 2)
      serve(response, { body: Buffer.from('<html>'), contentType: 'text/html' });
    else serve(response, { body: exportBody(LINES.slice(wantedLine(request))) });
  });
  await staged(server, async ({ export: exported }) => {
    assert.equal((await all(exported())).length, 22);
  });
});

test('who breaks off goes on where he was, in this reading or in another one', async () => {
  await staged(exportServer(LINES), async ({ server, export: exported }) => {
    const reading = exported();
    for await (const _line of reading) if (reading.lines === 5) break;
    assert.equal((await all(reading)).length, 17);
    assert.equal(server.requests[1]!.query.get('line'), '5');
    assert.deepEqual(await all(reading), []);
    const other = exported({ resume: { token: EXPORT_TOKEN, lines: 20, bytes: 0 } });
    assert.equal((await all(other)).length, 2);
    assert.equal(server.requests.length, 3);
  });
});

test('a table comes as bytes, and is resumed at its byte until it ends as a table does', async () => {
  const tables = {
    parquet: Buffer.from(`PAR1${'column'.repeat(50)}PAR1`),
    arrow: Buffer.concat([Buffer.alloc(300, 7), Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])]),
    csv: Buffer.concat([Buffer.alloc(300, 7), Buffer.from('TAPELOOM-END')]),
  };
  const types = {
    parquet: 'application/vnd.apache.parquet',
    arrow: 'application/vnd.apache.arrow.stream',
    csv: 'application/zstd',
  };
  for (const format of ['parquet', 'arrow', 'csv'] as const) {
    const server = ScriptedHttp.start((response, { query }, count) =>
      serve(response, {
        body: tables[format].subarray(Number(query.get('byte') ?? 0)),
        contentType: types[format],
        ...(count <= 3 ? { cutAfter: count === 1 ? 4 : 100, endsCleanly: count !== 2 } : {}),
      }),
    );
    await staged(server, async ({ server: asked, clock, export: exported }) => {
      const reading = exported({ format });
      assert.deepEqual(Buffer.concat(await all(reading.bytes())), tables[format]);
      assert.equal(reading.length, tables[format].length);
      assert.equal(asked.requests[0]!.query.get('format'), format);
      assert.deepEqual(
        asked.requests.map(({ query }) => query.get('byte')),
        [null, '4', '104', '204'],
      );
      assert.deepEqual(clock.waits, [1_000, 1_000, 1_000]);
      await assert.rejects(all(exported({ format })), { code: 'CONFIGURATION' });
    });
  }
});

test('a signal ends an export, also while it waits to resume', async () => {
  const reason = new Error('enough');
  const frame = exportBody(LINES.slice(0, 3)).length;
  await staged(
    exportServer(LINES, () => frame + 5),
    async ({ export: exported }) => {
      const controller = new AbortController();
      const reading = exported({ signal: controller.signal });
      await assert.rejects(async () => {
        for await (const _line of reading) controller.abort(reason);
      }, reason);
    },
  );
});

test('a format that there is not is CONFIGURATION [CLIENT-27]', async () => {
  await staged(exportServer(LINES), async ({ export: exported }) => {
    assert.throws(() => exported({ format: 'xlsx' as 'ndjson' }), { code: 'CONFIGURATION' });
  });
});

test('a line without an end is refused at a limit, as lines and as bytes', async () => {
  const endless = zstdCompressSync(`{"t":"upsert","id":"${'x'.repeat(17 * 1024 * 1024)}`);
  const answer = () =>
    ScriptedHttp.start((response, request) => {
      const before = exportBody(LINES.slice(wantedLine(request), 3));
      serve(response, { body: Buffer.concat([before, endless]) });
    });
  for (const read of ['lines', 'bytes'] as const) {
    await staged(answer(), async ({ export: exported }) => {
      const reading = exported();
      const error = await failure(read === 'lines' ? reading : reading.bytes());
      assert.equal(error.code, 'INVALID_RESPONSE');
      assert.match(error.message, /does not end within 16,777,216 bytes/);
    });
  }
});

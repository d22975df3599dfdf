/**
 * Frames that RFC 6455 and the protocol's limits allow or forbid, with the required reaction of a server. Every text is
 * a `ping` of the stream, so the stream responds to it and an echo repeats it.
 */

import { NO_CODE } from './frame-judge.ts';
import { closeFrame, fragments, OPCODE, type WireFrame, wireFrame } from './wire-frame.ts';

export interface FrameVector {
  readonly name: string;
  readonly bytes: Buffer;
  /** The server's close code. */
  readonly close: number;
  /** Texts accepted before that, in order. */
  readonly texts: readonly string[];
  /** Pings answered before that, by payload, a character per byte. */
  readonly pings: readonly string[];
  /** Contains binary messages, which the stream rejects and an echo repeats. */
  readonly isBinary: boolean;
}

/** Characters of one to four bytes. */
const ID = 'aé€😀';
const MESSAGE_BYTES_MAX = 65_536;
const FRAGMENTS_MAX = 1_024;
const CODES_GOOD = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014];
const CODES_OWN = [3000, 3999, 4000, 4999];
const CODES_BAD = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535];
const LENGTHS = [0, 1, 124, 125, 126, 127, 128, 255, 256, 32_767, 65_534, 65_535, 65_536];

/** A `ping` of the stream, padded with spaces to this length. */
export function pingText(id: string, bytes = 0): string {
  const text = JSON.stringify({ t: 'ping', id });
  return text + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
}

const TEXT = pingText(ID);
const GOODBYE = closeFrame(1000);

/** Accepted frames, followed by a normal close. */
function legal(
  name: string,
  frames: readonly Buffer[],
  taken: { readonly texts?: readonly string[]; readonly pings?: readonly string[] } = {},
): FrameVector {
  const { texts = [TEXT], pings = [] } = taken;
  const bytes = Buffer.concat([...frames, GOODBYE]);
  return { name, bytes, close: 1000, texts, pings, isBinary: false };
}

/** Frames that end the connection, after an accepted text. */
function illegal(name: string, close: number, ...frames: readonly Buffer[]): FrameVector {
  const bytes = Buffer.concat([text(TEXT), ...frames, text(pingText('too late')), GOODBYE]);
  return { name, bytes, close, texts: [TEXT], pings: [], isBinary: false };
}

function text(payload: string, more: Partial<WireFrame> = {}): Buffer {
  return wireFrame({ opcode: OPCODE.text, payload, ...more });
}

export const FRAME_VECTORS = {
  headers: headerVectors(),
  lengths: lengthVectors(),
  fragments: fragmentVectors(),
  utf8: utf8Vectors(),
  controls: controlVectors(),
  closes: closeVectors(),
  binaries: binaryVectors(),
} as const satisfies Record<string, readonly FrameVector[]>;

function headerVectors(): FrameVector[] {
  const masks = ['00000000', 'ffffffff', '00000001', '01234567'];
  const { continuation, ping, close } = OPCODE;
  return [
    legal('a text', [text(TEXT)]),
    ...masks.map((mask) => legal(`mask ${mask}`, [text(TEXT, { mask: Buffer.from(mask, 'hex') })])),
    ...[1, 2, 3, 4, 5, 6, 7].flatMap((rsv) => [
      illegal(`reserved bits ${rsv}`, 1002, text(TEXT, { rsv })),
      illegal(`reserved bits ${rsv} of a ping`, 1002, wireFrame({ opcode: ping, rsv })),
      illegal(`reserved bits ${rsv} of a close`, 1002, wireFrame({ opcode: close, rsv })),
      illegal(
        `reserved bits ${rsv} of a continuation`,
        1002,
        text('{', { fin: false }),
        wireFrame({ opcode: continuation, rsv }),
      ),
    ]),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap((opcode) => [
      illegal(`reserved opcode ${opcode}`, 1002, wireFrame({ opcode, payload: TEXT.slice(0, 9) })),
      illegal(`reserved opcode ${opcode} without fin`, 1002, wireFrame({ opcode, fin: false })),
    ]),
    ...Object.entries(OPCODE).map(([name, opcode]) =>
      illegal(`an unmasked ${name}`, 1002, wireFrame({ opcode, payload: '{}', mask: null })),
    ),
  ];
}

function lengthVectors(): FrameVector[] {
  const sized = (bytes: number) => pingText(ID, bytes);
  const huge = (length: bigint) => text('', { length, lengthBytes: 9 });
  return [
    ...LENGTHS.filter((bytes) => bytes > TEXT.length).map((bytes) =>
      legal(`a text of ${bytes} bytes`, [text(sized(bytes))], { texts: [sized(bytes)] }),
    ),
    ...LENGTHS.filter((bytes) => bytes <= 125).map((bytes) =>
      legal(`a ping of ${bytes} bytes`, [wireFrame({ opcode: 9, payload: 'x'.repeat(bytes) })], {
        texts: [],
        pings: ['x'.repeat(bytes)],
      }),
    ),
    legal('a short length in 16 bits', [text(TEXT, { lengthBytes: 3 })]),
    legal('a short length in 64 bits', [text(TEXT, { lengthBytes: 9 })]),
    legal('a 16-bit length in 64 bits', [text(sized(300), { lengthBytes: 9 })], {
      texts: [sized(300)],
    }),
    illegal('a text of 65,537 bytes', 1009, text(sized(MESSAGE_BYTES_MAX + 1))),
    illegal('a length of 2^32', 1009, huge(2n ** 32n)),
    illegal('a length of 2^53', 1009, huge(2n ** 53n)),
    illegal('the largest length there is', 1009, huge(2n ** 63n - 1n)),
    illegal('a 64-bit length with its highest bit set', 1009, huge(2n ** 63n)),
    illegal('a length of 64 ones', 1009, huge(2n ** 64n - 1n)),
  ];
}

function fragmentVectors(): FrameVector[] {
  const { text: opcode, ping, pong, continuation, binary } = OPCODE;
  const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  const [head, tail] = [TEXT.slice(0, 5), TEXT.slice(5)];
  const open = text('{', { fin: false });
  const parts = (count: number) => {
    const filled = Array.from({ length: count - 2 }, () => ' ');
    return fragments(opcode, [head, ...filled, tail]);
  };
  const spread = (total: number, count: number) => {
    const whole = Buffer.from(pingText(ID, total));
    const size = Math.ceil(total / count);
    return Array.from({ length: count }, (_, i) => whole.subarray(i * size, (i + 1) * size));
  };
  const long = { texts: [pingText(ID, MESSAGE_BYTES_MAX)] };
  const padded = head + ' '.repeat(FRAGMENTS_MAX - 2) + tail;
  return [
    legal('two fragments', fragments(opcode, [head, tail])),
    legal('a fragment a byte', fragments(opcode, bytes(TEXT))),
    legal('empty fragments', fragments(opcode, ['', head, '', '', tail, ''])),
    legal(
      'control frames between fragments',
      [
        text(head, { fin: false }),
        wireFrame({ opcode: ping, payload: 'one' }),
        wireFrame({ opcode: pong, payload: 'unasked' }),
        wireFrame({ opcode: continuation, fin: false }),
        wireFrame({ opcode: ping, payload: 'two' }),
        wireFrame({ opcode: continuation, payload: tail }),
        wireFrame({ opcode: ping }),
      ],
      { pings: ['one', 'two', ''] },
    ),
    legal('a close between fragments', [text(head, { fin: false })], { texts: [] }),
    legal('1,024 fragments', parts(FRAGMENTS_MAX), { texts: [padded] }),
    illegal('1,025 fragments', 1008, ...parts(FRAGMENTS_MAX + 1)),
    illegal('1,025 empty fragments', 1008, ...fragments(opcode, Array(1_025).fill(''))),
    legal('65,536 bytes in two fragments', fragments(opcode, spread(65_536, 2)), long),
    legal('65,536 bytes in 1,000 fragments', fragments(opcode, spread(65_536, 1_000)), long),
    illegal('65,537 bytes in two fragments', 1009, ...fragments(opcode, spread(65_537, 2))),
    illegal('65,537 bytes in 1,000 fragments', 1009, ...fragments(opcode, spread(65_537, 1_000))),
    legal(
      'two messages of 65,536 bytes, each in two fragments',
      [...fragments(opcode, spread(65_536, 2)), ...fragments(opcode, spread(65_536, 2))],
      { texts: [...long.texts, ...long.texts] },
    ),
    illegal('a continuation of nothing', 1002, wireFrame({ opcode: continuation, payload: tail })),
    illegal('an open continuation of nothing', 1002, wireFrame({ opcode: 0, fin: false })),
    illegal('a text inside of a message', 1002, open, text(TEXT)),
    illegal('a binary inside of a message', 1002, open, wireFrame({ opcode: binary })),
  ];
}

function utf8Vectors(): FrameVector[] {
  const whole = Buffer.from(TEXT);
  const invalid: readonly (readonly [string, string])[] = [
    ['a lone continuation byte', '80'],
    ['a byte that never occurs', 'ff'],
    ['an overlong slash', 'c0af'],
    ['an overlong zero', 'e08080'],
    ['an overlong character of four bytes', 'f0808080'],
    ['a surrogate', 'eda080'],
    ['a pair of surrogates', 'eda080edb080'],
    ['a character beyond the last', 'f4908080'],
    ['five bytes for a character', 'f888808080'],
    ['a character cut short by another', 'e28261'],
    ['a character cut short by the end', '7be282'],
    ['a character of four bytes cut short by the end', '7bf09f98'],
  ];
  const frame = (hex: string) =>
    wireFrame({ opcode: OPCODE.text, payload: Buffer.from(hex, 'hex') });
  return [
    ...Array.from({ length: whole.length - 1 }, (_, index) =>
      legal(
        `a text cut at byte ${index + 1}`,
        fragments(OPCODE.text, [whole.subarray(0, index + 1), whole.subarray(index + 1)]),
      ),
    ),
    ...invalid.map(([name, hex]) => illegal(name, 1007, frame(hex))),
    ...invalid.map(([name, hex]) => {
      const bytes = Array.from(Buffer.from(hex, 'hex'), (byte) => Buffer.from([byte]));
      return illegal(`${name}, in fragments`, 1007, ...fragments(OPCODE.text, ['', ...bytes]));
    }),
  ];
}

function controlVectors(): FrameVector[] {
  const controls = ['close', 'ping', 'pong'] as const;
  return [
    legal('a pong nobody asked for', [wireFrame({ opcode: 10, payload: 'x' })], { texts: [] }),
    legal('a ping that is no UTF-8', [wireFrame({ opcode: 9, payload: Buffer.from([0xff]) })], {
      texts: [],
      pings: ['\u00ff'],
    }),
    ...controls.flatMap((name) => {
      const opcode = OPCODE[name];
      const payload = Buffer.alloc(126, 'x');
      return [
        illegal(`a ${name} of 126 bytes`, 1002, wireFrame({ opcode, payload })),
        illegal(`a ${name} with a 16-bit length`, 1002, wireFrame({ opcode, lengthBytes: 3 })),
        illegal(`a ${name} with a 64-bit length`, 1002, wireFrame({ opcode, lengthBytes: 9 })),
        illegal(`a ${name} in fragments`, 1002, wireFrame({ opcode, fin: false })),
      ];
    }),
  ];
}

function closeVectors(): FrameVector[] {
  const closing = (name: string, frame: Buffer, close: number): FrameVector =>
    // Frames after a close frame are ignored.
    ({ ...illegal(name, close, frame), name });
  return [
    closing('a close without a code', wireFrame({ opcode: OPCODE.close }), NO_CODE),
    closing('a close of one byte', wireFrame({ opcode: OPCODE.close, payload: 'x' }), 1002),
    ...[...CODES_GOOD, ...CODES_OWN].map((code) =>
      closing(`close ${code}`, closeFrame(code, 'reason é'), code),
    ),
    ...CODES_BAD.map((code) => closing(`close ${code}`, closeFrame(code), 1002)),
    closing('a close with 123 bytes of reason', closeFrame(1000, 'x'.repeat(123)), 1000),
    closing('a close with 124 bytes of reason', closeFrame(1000, 'x'.repeat(124)), 1002),
    closing('a close whose reason is no UTF-8', closeFrame(1000, Buffer.from([0xc3])), 1007),
    closing('a close with half a character', closeFrame(1000, Buffer.from('e282', 'hex')), 1007),
  ];
}

function binaryVectors(): FrameVector[] {
  const frames = [
    ['a binary', [wireFrame({ opcode: OPCODE.binary, payload: TEXT })]],
    ['an empty binary', [wireFrame({ opcode: OPCODE.binary })]],
    ['a binary in fragments', fragments(OPCODE.binary, [TEXT.slice(0, 7), TEXT.slice(7)])],
  ] as const;
  return frames.map(([name, frame]) => ({ ...illegal(name, 1003, ...frame), isBinary: true }));
}

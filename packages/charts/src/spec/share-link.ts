/**
 * A layout as the fragment of a link, compressed. It carries no right and no key, and servers never see it. A link is
 * read as hostile: its length, its expanded size and every field are bounded.
 */

import type { Layout } from './layout.ts';
import { type ParsedLayout, parseLayout } from './parse-layout.ts';

/** Of a fragment, `#` not counted. */
export const SHARE_LINK_CHARS_MAX = 32_768;
/** Of the layout as JSON: far more than one that can be saved, far less than what could harm. */
export const SHARED_BYTES_MAX = 262_144;
const PREFIX = 'layout=';
/** Of compressed bytes that are expanded at once: deflate expands a byte to 1,032 at most. */
const STEP_BYTES = 256;

const UNREADABLE: ParsedLayout = {
  fault: 'unreadable',
  text: 'This link has no layout that can be read. It may be incomplete.',
};

/** The fragment without `#`; null if the layout is too large for a link. */
export async function shareLink(layout: Layout): Promise<string | null> {
  const text = new TextEncoder().encode(JSON.stringify(layout));
  if (text.length > SHARED_BYTES_MAX) return null;
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const fragment = `${PREFIX}${base64Of(bytes)}`;
  return fragment.length > SHARE_LINK_CHARS_MAX ? null : fragment;
}

/** Whether a fragment is a link to a layout, with or without `#`. */
export function isShareLink(fragment: string): boolean {
  return withoutHash(fragment).startsWith(PREFIX);
}

export async function readShareLink(fragment: string): Promise<ParsedLayout> {
  const text = withoutHash(fragment);
  if (!text.startsWith(PREFIX) || text.length > SHARE_LINK_CHARS_MAX) return UNREADABLE;
  try {
    const bytes = bytesOf(text.slice(PREFIX.length));
    const json = bytes === null ? null : await expanded(bytes);
    return json === null ? UNREADABLE : parseLayout(JSON.parse(json));
  } catch {
    return UNREADABLE;
  }
}

function withoutHash(fragment: string): string {
  return fragment.startsWith('#') ? fragment.slice(1) : fragment;
}

/** Null if it would become larger than a layout may be. */
async function expanded(bytes: Uint8Array<ArrayBuffer>): Promise<string | null> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const writing = writeSlowly(writable.getWriter(), bytes);
  // A reader that stops reading ends the writing with an error, which is no fault.
  writing.catch(() => {});
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = readable.getReader();
  let [text, size] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > SHARED_BYTES_MAX) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
  await writing;
  return text + decoder.decode();
}

async function writeSlowly(
  writer: WritableStreamDefaultWriter<BufferSource>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    await writer.write(bytes.subarray(at, at + STEP_BYTES));
  }
  await writer.close();
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null if it is not base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** A recorded stream: the service's frames, unchanged, with the time since the start. Stored as gzip. */

import type { GivenParams } from '@tapeloom/core/studies/indicator';

/** The request of each subscription, by its name in the recorded frames. */
export interface RecordedRequest {
  readonly indicator: string;
  readonly params: GivenParams;
}

export interface RecordingHead {
  readonly instrument: string;
  /** The contract's display name. */
  readonly name: string;
  /** The start, in nanoseconds since 1970. */
  readonly startNs: string;
  readonly durationMs: number;
  readonly requests: Readonly<Record<string, RecordedRequest>>;
}

export interface RecordedFrame {
  /** Milliseconds since the start. */
  readonly ms: number;
  /** The recorded subscription; null for frames of the connection. */
  readonly sub: string | null;
  readonly t: string;
  readonly cursor: string | null;
  readonly text: string;
}

export interface Recording extends RecordingHead {
  readonly frames: readonly RecordedFrame[];
}

export function parseRecording(text: string): Recording {
  const [head = '', ...lines] = text.split('\n');
  return {
    ...(JSON.parse(head) as RecordingHead),
    frames: lines.flatMap((line) => (line === '' ? [] : [frameOf(line)])),
  };
}

/** Fetches and decompresses a recording. */
export async function fetchRecording(url: string, signal?: AbortSignal): Promise<Recording> {
  const answer = await fetch(url, signal === undefined ? {} : { signal });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status}`);
  const expanded = answer.body.pipeThrough(new DecompressionStream('gzip'));
  return parseRecording(await new Response(expanded).text());
}

/** All messages of a kind have their fields in one order, so a pattern finds them without parsing large messages. */
function frameOf(line: string): RecordedFrame {
  const space = line.indexOf(' ');
  const text = line.slice(space + 1);
  return {
    ms: Number(line.slice(0, space)),
    t: /"t":"([a-z]+)"/.exec(text)?.[1] ?? '',
    sub: /"sub":"([^"]+)"/.exec(text)?.[1] ?? null,
    cursor: /"cursor":"([^"]+)"/.exec(text)?.[1] ?? null,
    text,
  };
}

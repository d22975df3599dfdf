/**
 * A recorded stream: what the service said to a client, frame by frame as it was said, with the time since the
 * beginning. It comes as gzip, so that it is small wherever it is served from.
 */

/** What was asked for, by the name of the subscription in the recorded frames. */
export interface RecordedRequest {
  readonly indicator: string;
  readonly params: Readonly<Record<string, string | number>>;
}

export interface RecordingHead {
  readonly instrument: string;
  /** Of the contract, for people. */
  readonly name: string;
  /** When it begins, in nanoseconds since 1970. */
  readonly startNs: string;
  readonly durationMs: number;
  readonly requests: Readonly<Record<string, RecordedRequest>>;
}

export interface RecordedFrame {
  /** Since the beginning. */
  readonly ms: number;
  /** Of the recorded subscription; null for what concerns the connection alone. */
  readonly sub: string | null;
  /** The kind of the message. */
  readonly t: string;
  /** Of messages that have one. */
  readonly cursor: string | null;
  readonly text: string;
}

export interface Recording extends RecordingHead {
  readonly frames: readonly RecordedFrame[];
}

/** Of the text that the recorder wrote. */
export function parseRecording(text: string): Recording {
  const [head = '', ...lines] = text.split('\n');
  return {
    ...(JSON.parse(head) as RecordingHead),
    frames: lines.flatMap((line) => (line === '' ? [] : [frameOf(line)])),
  };
}

/** Fetches and expands it. */
export async function fetchRecording(url: string, signal?: AbortSignal): Promise<Recording> {
  const answer = await fetch(url, signal === undefined ? {} : { signal });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status}`);
  const expanded = answer.body.pipeThrough(new DecompressionStream('gzip'));
  return parseRecording(await new Response(expanded).text());
}

/** The fields stand in the same order in all messages of a kind: they are found without parsing what is large. */
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

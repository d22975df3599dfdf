/** First lines of code in four languages. A test runs each of them against a real service. */

export interface CodeSample {
  readonly id: 'node' | 'browser' | 'python' | 'curl';
  readonly label: string;
  readonly text: string;
}

/** `url` is the service's; `day` has history, as 2026-11-10. */
export function codeSamples(url: string, day: string): readonly CodeSample[] {
  return [
    {
      id: 'node',
      label: 'Node',
      text: [
        `import { TapeloomClient } from '@tapeloom/client';`,
        `const { TAPELOOM_KEY: key } = process.env;`,
        `const client = new TapeloomClient({ url: '${url}', key });`,
        `const bars = client.subscribe({ indicator: 'footprint', instrument: 'ES.c.0' });`,
        `bars.on('upsert', ({ cursor, object }) => console.log(cursor, object.data.delta));`,
      ].join('\n'),
    },
    {
      id: 'browser',
      label: 'Browser',
      text: [
        `// A page never holds a key: your server fetches a token for it.`,
        `import { StreamClient } from '@tapeloom/client/stream';`,
        `const textOf = (answer) => (answer.ok ? answer.text() : Promise.reject(answer.status));`,
        `const token = () => fetch('/stream-token').then(textOf);`,
        `const client = new StreamClient({ url: '${url}', token });`,
        `const bars = client.subscribe({ indicator: 'footprint', instrument: 'ES.c.0' });`,
        `bars.on('upsert', ({ object }) => console.log(object.id, object.data.levels));`,
      ].join('\n'),
    },
    {
      id: 'python',
      label: 'Python',
      text: [
        `import json, os, urllib.request`,
        `query = "instrument=ES.c.0&indicator=footprint&from=${day}"`,
        `request = urllib.request.Request("${url}/v1/history?" + query)`,
        `request.add_header("Authorization", "Bearer " + os.environ["TAPELOOM_KEY"])`,
        `for bar in json.load(urllib.request.urlopen(request))["items"]:`,
        `    print(bar["cursor"], bar["data"]["delta"])`,
      ].join('\n'),
    },
    {
      id: 'curl',
      label: 'curl',
      text: [
        `curl --get ${url}/v1/history \\`,
        `  -H "Authorization: Bearer $TAPELOOM_KEY" \\`,
        `  -d instrument=ES.c.0 -d indicator=footprint \\`,
        `  -d from=${day}`,
      ].join('\n'),
    },
  ];
}

/** The last weekday before this one. Holidays are not considered. */
export function lastWeekday(nowMs: number): string {
  const day = new Date(nowMs);
  do day.setUTCDate(day.getUTCDate() - 1);
  while (day.getUTCDay() === 0 || day.getUTCDay() === 6);
  return day.toISOString().slice(0, 10);
}

export interface CodePart {
  readonly kind: 'word' | 'text' | 'note' | 'name' | 'number' | null;
  readonly text: string;
}

/** Each group is named after its kind of part. */
export const CODE_PARTS =
  /(?<note>(?:^|(?<=\s))\/\/.*$)|(?<text>'[^'\n]*'|"[^"\n]*")|(?<word>\b(?:import|from|const|new|async|await|for|in)\b)/gm;

export function codeParts(text: string, pattern = CODE_PARTS): readonly CodePart[] {
  const parts: CodePart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ kind: null, text: text.slice(end, match.index) });
    const [kind] = Object.entries(match.groups!).find(([, found]) => found !== undefined)!;
    parts.push({ kind: kind as CodePart['kind'], text: match[0] });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...parts, { kind: null, text: text.slice(end) }] : parts;
}

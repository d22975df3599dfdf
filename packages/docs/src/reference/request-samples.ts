/**
 * Samples of a request in curl, TypeScript and Python, as adjacent blocks. Tests run them against a real service. Times
 * are relative to now, so that there is data whenever they run.
 */

const ADDRESS = 'http://127.0.0.1:8080';
const HOUR_S = 3_600;
/** Its market never closes. */
const INSTRUMENT = 'BTC.c.0';

export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly needsKey: boolean;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The response is a file, which no sample prints. */
  readonly isFile: boolean;
}

/** Hours before now, for fields that are times. */
const TIMES: Readonly<Record<string, number>> = { from: 2, to: 1 };

export function requestSamples(request: SampleRequest): string {
  return [
    fence('sh', 'curl', curl(request)),
    fence('ts', 'TypeScript', typescript(request)),
    fence('python', 'Python', python(request)),
  ].join('\n\n');
}

function fence(language: string, tab: string, lines: readonly string[]): string {
  return `\`\`\`${language} tab="${tab}"\n${lines.join('\n')}\n\`\`\``;
}

function queryOf({ query }: SampleRequest): readonly (readonly [string, string])[] {
  return Object.entries(query).map(([name, value]) => [
    name,
    name === 'instrument' ? INSTRUMENT : String(value),
  ]);
}

function curl(request: SampleRequest): readonly string[] {
  const { method, path, needsKey, body, isFile } = request;
  const query = queryOf(request);
  const parts = [
    'curl',
    ...(needsKey ? ['-H "Authorization: Bearer $TAPELOOM_KEY"'] : []),
    ...(isFile ? ['-o result.bin'] : []),
    ...(query.length > 0 ? ['--get'] : method === 'GET' ? [] : [`-X ${method}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    `"${ADDRESS}${path.replace('{id}', '$KEY_ID')}"`.replace(/^"([^$]*)"$/, '$1'),
  ].join(' ');
  const more = [
    ...query.map(([name, value]) =>
      TIMES[name] === undefined
        ? `--data-urlencode '${name}=${value}'`
        : `-d "${name}=$(($(date +%s) - ${TIMES[name] * HOUR_S}))000000000"`,
    ),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body)}'`]),
  ];
  return [parts, ...more.map((part) => `  ${part}`)].map((line, at, all) =>
    at === all.length - 1 ? line : `${line} \\`,
  );
}

function typescript(request: SampleRequest): readonly string[] {
  const { method, path, needsKey, body, isFile } = request;
  const query = queryOf(request);
  const fields = query.map(([name, value]) =>
    TIMES[name] === undefined
      ? `  ${name}: ${quoted(value)},`
      : `  ${name}: hoursAgo(${TIMES[name]}),`,
  );
  const headers = [
    ...(needsKey ? [`authorization: \`Bearer \${process.env.TAPELOOM_KEY}\``] : []),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body)}),`]),
  ];
  const address = `${ADDRESS}${path.replace('{id}', `\${process.env.KEY_ID}`)}`;
  const url =
    query.length > 0
      ? `\`${address}?\${query}\``
      : address.includes('$')
        ? `\`${address}\``
        : quoted(address);
  return [
    ...(fields.some((field) => field.includes('hoursAgo'))
      ? [
          'const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();',
        ]
      : []),
    ...(query.length > 0 ? ['const query = new URLSearchParams({', ...fields, '});'] : []),
    ...(options.length === 0
      ? [`const response = await fetch(${url});`]
      : [`const response = await fetch(${url}, {`, ...options, '});']),
    'if (!response.ok) throw new Error(await response.text());',
    isFile
      ? "console.log((await response.arrayBuffer()).byteLength, 'bytes');"
      : 'console.log(await response.json());',
  ];
}

function python(request: SampleRequest): readonly string[] {
  const { method, path, needsKey, body, isFile } = request;
  const query = queryOf(request);
  const hasTimes = query.some(([name]) => TIMES[name] !== undefined);
  const isIn = path.includes('{id}');
  const imports = [
    ...(body === undefined && isFile ? [] : ['import json']),
    ...(needsKey || isIn ? ['import os'] : []),
    ...(hasTimes ? ['from datetime import datetime, timedelta, timezone'] : []),
    ...(query.length > 0 ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
  ];
  const fields = query.map(([name, value]) =>
    TIMES[name] === undefined
      ? `    "${name}": ${value.includes('"') ? quoted(value) : JSON.stringify(value)},`
      : `    "${name}": hours_ago(${TIMES[name]}),`,
  );
  const headers = [
    ...(needsKey ? ['"Authorization": f"Bearer {os.environ[\'TAPELOOM_KEY\']}"'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const address = `${ADDRESS}${path.replace('{id}', "{os.environ['KEY_ID']}")}`;
  const url = `${isIn ? 'f' : ''}"${address}${query.length > 0 ? '?" + query' : '"'}`;
  const words = [
    `    ${url},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(body)}).encode(),`]),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
  ];
  return [
    ...imports,
    '',
    ...(hasTimes
      ? [
          'def hours_ago(hours):',
          '    return (datetime.now(timezone.utc) - timedelta(hours=hours)).isoformat()',
          '',
        ]
      : []),
    ...(query.length > 0 ? ['query = urlencode({', ...fields, '})'] : []),
    'request = Request(',
    ...words,
    ')',
    'with urlopen(request) as response:',
    isFile ? '    print(len(response.read()), "bytes")' : '    print(json.load(response))',
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}

/** Our JSON is valid TypeScript and Python, because it contains no `true`, `false` or `null`. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll(',"', ', "').replaceAll('":', '": ');
}

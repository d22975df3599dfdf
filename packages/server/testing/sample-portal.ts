/** A small built portal on disk. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'index.html': `<!doctype html><title>Tapeloom</title><p>curl http://127.0.0.1:8080/v1/status, ws://127.0.0.1:8080/v1</p>${'<p>landing</p>'.repeat(200)}`,
  'app.html':
    '<!doctype html><title>Portal</title><link rel="stylesheet" crossorigin href="/assets/app-1a2b3c4d.css"><script type="module" src="/assets/app-9f8e7d6c.js"></script><noscript>The account pages need JavaScript.</noscript>',
  'charts.html':
    '<!doctype html><title>Charts</title><script type="module" src="/assets/app-9f8e7d6c.js"></script>',
  'docs/index.html': '<!doctype html><title>Docs</title>',
  'docs/errors.html': '<!doctype html><title>Errors</title>',
  'docs/errors.md':
    '# Errors\n\n[Keys](http://127.0.0.1:8080/docs/keys.md) https://api.example.com/v1 wss://api.example.com/v1\n',
  'docs/changelog.atom': '<feed><id>http://127.0.0.1:8080/docs/changelog</id></feed>',
  'llms.txt': '# Tapeloom\n\n- [Errors](http://127.0.0.1:8080/docs/errors.md)\n',
  'docs/charts/bars.svg':
    '<svg xmlns="http://www.w3.org/2000/svg"><style>a{fill:red}</style></svg>',
  'assets/app-9f8e7d6c.js': `console.log(${JSON.stringify('x'.repeat(4_000))});`,
  'assets/app-1a2b3c4d.css': 'body{margin:0}',
  'assets/inter-00000000.woff2': 'wOF2'.repeat(500),
  '.vite/manifest.json': '{}',
};

export function writePortal(
  directory: string,
  files: Readonly<Record<string, string | Uint8Array>> = SAMPLE_FILES,
): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

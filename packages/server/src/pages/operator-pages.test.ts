import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RestService } from '../../testing/rest/rest-service.ts';
import { ConfigError } from '../config/config.ts';
import { OperatorPages, renderOperatorPage } from './operator-pages.ts';

const read = (path: string) => readFileSync(path, 'utf8');
/** The only tags, attributes and addresses that may come out. */
const ALLOWED =
  /^<(?:\/?(?:h[234]|p|ul|ol|li|strong|em|del|pre|code|blockquote|table|thead|tbody|tr|th|td)|hr|br|a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener"|ol start="\d+"|\/a|t[hd] align="\w+")>$/;

function checkTags(html: string): void {
  for (const tag of html.match(/<[^>]*>?/g) ?? []) assert.match(tag, ALLOWED, html);
}

test('Markdown becomes a title and plain HTML', async () => {
  const { title, html } = await renderOperatorPage(
    '# Who we *are* & <more>\n\nACME, **Street** 1\n\n- a\n- b\n\n[mail](mailto:a@example.com) https://example.com\n\n# Second\n\n##### Deep\n',
    'Imprint',
  );
  assert.equal(title, 'Who we are & <more>');
  checkTags(html);
  assert.match(html, /^<p>ACME, <strong>Street<\/strong> 1<\/p>/);
  assert.match(html, /<a href="mailto:a@example\.com" rel="noopener">mail<\/a>/);
  assert.match(html, /<a href="https:\/\/example\.com" rel="noopener">/);
  assert.match(html, /<h2>Second<\/h2>\n<h4>Deep<\/h4>/);
});

test('nothing that is written there can run, load or lead to a script [SEC-14]', async () => {
  for (const text of [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '<div style="position:fixed" onclick="x">',
    '![pic](https://evil.example/x.png "t")',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#10;script:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>1</script>)',
    '[x](vbscript:x) [y](//evil.example) [z](/v1/keys) [w](file:///etc/passwd)',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    '[a](https://e.example/"onmouseover="x)',
    '[a](https://e.example "t\\" onclick=x")',
    '`<script>` and\n\n    <script>indented</script>\n\n```"><script>\n<script>\n```',
    '| a | b |\n|---|--:|\n| <b> | [x](javascript:1) |',
    '- [x] <input type=checkbox onfocus=x autofocus>',
    '# <img src=x onerror=y>\n\n## <svg/onload=z>',
    '<!-- c --> <![CDATA[ x ]]> <?php x ?>',
    '[a](https://e.example/<b>) **<i>** ~~<u>~~ > <s>',
  ]) {
    const { html } = await renderOperatorPage(text, 'Terms');
    checkTags(html);
  }
});

test('files are read once; what is missing is said, and a directory without any stops the start by name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'operator-'));
  try {
    assert.throws(
      () => OperatorPages.load(directory, read),
      (error) => error instanceof ConfigError && error.faults[0]!.startsWith('TAPELOOM_PAGES: '),
    );
    writeFileSync(join(directory, 'imprint.md'), 'ACME');
    const pages = OperatorPages.load(directory, read);
    writeFileSync(join(directory, 'imprint.md'), 'changed');
    assert.deepEqual(await pages.page('imprint'), { title: 'Imprint', html: '<p>ACME</p>\n' });
    assert.deepEqual(await pages.page('terms'), {
      title: 'Terms',
      html: '<p>The operator of this service has not published terms.</p>\n',
    });
    assert.equal(pages.page('../imprint'), null);
    assert.equal(pages.page('__proto__'), null);
    writeFileSync(join(directory, 'terms.md'), 'x'.repeat(262_145));
    const unreadable = () => {
      throw Object.assign(new Error('not allowed'), { code: 'EACCES' });
    };
    assert.throws(() => OperatorPages.load(directory, read), /terms\.md is longer than/);
    assert.throws(() => OperatorPages.load(directory, unreadable), /TAPELOOM_PAGES: cannot read/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('anybody may read them over REST, and an unknown one is 404', async () => {
  await using service = await RestService.start();
  const answer = await service.request('GET', '/v1/portal/pages/privacy');
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    title: 'Privacy',
    html: '<p>The operator of this service has not published a privacy notice.</p>\n',
  });
  assert.equal((await service.request('GET', '/v1/portal/pages/other')).status, 404);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { indicatorTypesText, type TypedCatalogue, type TypedIndicator } from './indicator-types.ts';
import { CATALOGUE_FINGERPRINT, type IndicatorId, type IndicatorTypes } from './indicators.ts';

const file = new URL('../../../contract/catalogue.json', import.meta.url);
const catalogue = JSON.parse(readFileSync(file, 'utf8')) as TypedCatalogue;
const [bars] = catalogue.indicators;

function textOf(...indicators: readonly TypedIndicator[]): string {
  return indicatorTypesText({ ...catalogue, indicators }, 'a test');
}

function withData(properties: Readonly<Record<string, unknown>>): TypedIndicator {
  const required = Object.keys(properties).filter((name) => name !== 'maybe');
  const data = { type: 'object', properties, required, additionalProperties: false };
  return { ...bars!, id: 'some-thing', name: 'Some thing', data };
}

function typeOf(schema: TypedIndicator['data']): string {
  const text = textOf(withData({ it: schema }));
  return /export interface SomeThingData \{\n {2}readonly it: (.+);\n\}/.exec(text)![1]!;
}

/** The names of an interface's members: its own, and those it has from what it extends. */
function membersIn(text: string, name: string): string[] {
  const found = new RegExp(`export interface ${name}(?:\\s+extends ([^{]+))? \\{(.*?)\\}$`, 'ms');
  const [, base = '', body = ''] = found.exec(text)!;
  const own = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member]) => member!);
  const picked = /^Pick<\s*SharedParams,(.+)>$/s.exec(base)?.[1];
  if (picked === undefined) return base === '' ? own : [...membersIn(text, base), ...own];
  const names = [...picked.matchAll(/'(\w+)'/g)].map(([, member]) => member!);
  const shared = membersIn(text, 'SharedParams');
  for (const member of names) assert.ok(shared.includes(member), `${name} picks ${member}`);
  return [...names, ...own];
}

test('every indicator has parameters, data and a place in the map', () => {
  const text = textOf(...catalogue.indicators);
  for (const { id, parameters, data } of catalogue.indicators) {
    const name = id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    assert.deepEqual(
      membersIn(text, `${name}Params`).sort(),
      parameters.map((parameter) => parameter.name).sort(),
    );
    assert.deepEqual(
      membersIn(text, `${name}Data`).sort(),
      Object.keys(data.properties as object).sort(),
    );
    assert.match(text, new RegExp(`readonly '?${id}'?: TypesOf<${name}Params, ${name}Data>;`));
  }
});

test('a parameter is shared only by indicators that say the same of it', () => {
  const changed = catalogue.indicators.map((indicator) => {
    const words = (it: { readonly name: string }) =>
      it.name === 'depth' && indicator.id === 'delta' ? { description: 'Another.' } : {};
    return {
      ...indicator,
      parameters: indicator.parameters.map((it) => ({ ...it, ...words(it) })),
    };
  });
  const text = textOf(...changed);
  assert.match(text, /DeltaParams extends Pick<SharedParams, 'bar' \| 'size' \| 'session'> \{\n/);
  assert.match(text, /^ {2}\/\*\* Another\. Unit: objects\. \*\/\n {2}readonly depth\?: number;$/m);
  assert.match(textOf(bars!), /^export interface BarsParams \{\n/m);
});

test('a list parameter is a readonly array, shared where several have it', () => {
  const list = {
    name: 'shares',
    type: 'integers',
    default: [50, 70],
    description: 'Which shares.',
    unit: 'percent',
  };
  const has = ['a', 'b', 'c'].map((id) => ({ ...bars!, id, parameters: [list] }));
  const text = textOf(...has);
  assert.match(text, /^ {2}\/\*\* Which shares\. Unit: percent\. \*\/$/m);
  assert.match(text, /^ {2}readonly shares\?: readonly number\[\];$/m);
  assert.match(text, /^export interface CParams extends Pick<SharedParams, 'shares'> \{\}$/m);
});

test('a schema becomes the type that says the same', () => {
  const integer = { type: 'integer' };
  assert.equal(typeOf(integer), 'number');
  assert.equal(typeOf({ type: ['integer', 'null'] }), 'number | null');
  assert.equal(typeOf({ type: 'integer', enum: [-1, 1] }), '-1 | 1');
  assert.equal(typeOf({ type: 'string', enum: ['open', "o'clock"] }), "'open' | 'o\\'clock'");
  assert.equal(typeOf({ const: 'poc' }), "'poc'");
  assert.equal(typeOf({ oneOf: [{ type: 'string' }, integer] }), 'string | number');
  assert.equal(typeOf({ type: 'array', items: { type: 'string' } }), 'readonly string[]');
  assert.equal(
    typeOf({ type: 'array', items: { type: ['integer', 'null'] } }),
    'readonly (number | null)[]',
  );
  assert.equal(
    typeOf({ type: 'array', items: integer, minItems: 3, maxItems: 4 }),
    'readonly [number, number, number, number?]',
  );
  assert.equal(
    typeOf({ type: 'array', prefixItems: [integer, { type: 'string' }], minItems: 2 }),
    'readonly [number, string]',
  );
  assert.equal(
    typeOf({
      type: 'object',
      properties: { low: integer, maybe: integer },
      required: ['low'],
      additionalProperties: false,
    }),
    '{ readonly low: number; readonly maybe?: number }',
  );
});

test('a member that is not required may be missing', () => {
  assert.match(textOf(withData({ maybe: { type: 'integer' } })), /readonly maybe\?: number;/);
});

test('a schema that no type can say is refused with its place', () => {
  assert.throws(() => typeOf({}), /some-thing data\/it has no type/);
  assert.throws(() => typeOf({ type: 'object' }), /some-thing data\/it is not a closed object/);
  assert.throws(() => typeOf({ type: 'array' }), /some-thing data\/it\/items is not a schema/);
  assert.throws(() => typeOf({ type: 'date' }), /type date/);
});

test('a changed catalogue gives other types, and says so beside them [VER-02]', () => {
  const whole = indicatorTypesText(catalogue, 'a test');
  const { indicators } = catalogue;
  const changed: Readonly<Record<string, readonly TypedIndicator[]>> = {
    'an indicator is gone': indicators.slice(1),
    'an indicator has come': [...indicators, withData({ it: { type: 'integer' } })],
    'a parameter has another name': indicators.map((indicator) => ({
      ...indicator,
      parameters: indicator.parameters.map((it) => ({ ...it, name: `${it.name}2` })),
    })),
    'a parameter takes one more word': indicators.map((indicator) => ({
      ...indicator,
      parameters: indicator.parameters.map((it) => ({
        ...it,
        values: [...(it.values ?? []), 'dusk'],
      })),
    })),
    'data are others': indicators.map(({ data }) => ({ ...bars!, data })),
  };
  for (const [what, others] of Object.entries(changed))
    assert.notEqual(textOf(...others), whole, what);
  const renamed = indicatorTypesText({ ...catalogue, version: 'another' }, 'a test');
  assert.match(renamed, /CATALOGUE_FINGERPRINT = \{\n {2}version: 'another',/);
  assert.deepEqual(CATALOGUE_FINGERPRINT, {
    version: catalogue.version,
    engineFingerprint: catalogue.engineFingerprint,
  });
});

test('the formatter leaves the text as it is, whatever the length of an id', () => {
  const lengths = Array.from({ length: 90 }, (_, index) => index + 5);
  const shown = catalogue.indicators.filter(({ id }) => /^(?:bars|footprint|vwap)$/.test(id));
  const long = shown.flatMap((indicator) =>
    lengths.map((length) => ({ ...indicator, id: indicator.id[0]!.padEnd(length, 'a-bc') })),
  );
  const named = long.filter(({ id }) => !id.endsWith('-'));
  assert.ok(named.length > 180);
  const text = textOf(...named);
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const formatted = execFileSync(
    'node_modules/.bin/biome',
    ['format', '--stdin-file-path=packages/protocol/src/indicators.ts'],
    { cwd: root, input: text, encoding: 'utf8' },
  );
  assert.equal(formatted, text);
});

test('nothing a catalogue says becomes code', () => {
  const hostile = { ...bars!, name: 'Bars */ evil();\n/*', id: 'a(){}' };
  assert.throws(() => textOf(hostile), /no type can be called after the indicator "a\(\)\{\}"/);
  const text = textOf({ ...hostile, id: 'bars' });
  assert.match(text, /^\/\*\* Parameters of Bars \* \/ evil\(\); \/\*, `bars`\. \*\/$/m);
  assert.equal(typeOf({ const: "it's\n" }), "'it\\'s\\n'");
  const named = textOf(withData({ 'a; b': { type: 'integer' } }));
  assert.match(named, /^ {2}readonly 'a; b': number;$/m);
});

test('the types check what a client writes', () => {
  type ParamsOf<Id extends IndicatorId> = IndicatorTypes[Id]['params'];
  const params: ParamsOf<'footprint'> = { bar: 'tick', size: 500, ratio: 2.5 };
  const empty: ParamsOf<'large-trades'> = {};
  const level: IndicatorTypes['footprint']['data']['levels'][number] = [27_001, 12, 10];
  assert.deepEqual([params.bar, empty.minSize, level[3]], ['tick', undefined, undefined]);
});

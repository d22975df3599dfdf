/**
 * Renders Helm charts as far as ours needs: Go templates with `if`, `with`, `range`, `define` and the functions below.
 * Anything else fails the test. It does not replace `helm lint` and `helm template`.
 */

import { stringify } from 'yaml';

type Values = Readonly<Record<string, unknown>>;

export interface ChartContext {
  readonly Values: Values;
  readonly Release: { readonly Name: string };
  readonly Chart: { readonly AppVersion: string };
}

/** The output of each template, by file name; `_helpers.tpl` only defines. */
export function renderChart(
  files: Readonly<Record<string, string>>,
  context: ChartContext,
): Readonly<Record<string, string>> {
  const trees = Object.entries(files).map(([name, text]) => [name, parse(text)] as const);
  const defined = new Map<string, readonly Node[]>();
  for (const [, tree] of trees) {
    for (const node of tree) if (node.kind === 'define') defined.set(node.name, node.body);
  }
  return Object.fromEntries(
    trees.map(([name, tree]) => [name, render(tree, { dot: context, variables: {}, defined })]),
  );
}

/** Merges values as Helm does: maps by key, a null removes. */
export function mergedValues(base: Values, over: Values): Values {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else if (isMap(value) && isMap(before)) merged[name] = mergedValues(before, value);
    else merged[name] = value;
  }
  return merged;
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly words: readonly string[] }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Node[] }
  | {
      readonly kind: 'block';
      readonly word: 'if' | 'with' | 'range';
      readonly words: readonly string[];
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

interface Scope {
  readonly dot: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly defined: ReadonlyMap<string, readonly Node[]>;
}

const ACTION = /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g;
const WORD = /"(?:[^"\\]|\\.)*"|[()|,]|:=|[^\s()|,]+/g;

function parse(text: string): readonly Node[] {
  const pieces: (string | readonly string[])[] = [];
  let at = 0;
  let isTrimmed = false;
  for (const match of text.matchAll(ACTION)) {
    const [whole, before, action, after] = match as unknown as [string, string, string, string];
    const plain = text.slice(at, match.index);
    const begun = isTrimmed ? plain.trimStart() : plain;
    pieces.push(before === '-' ? begun.trimEnd() : begun, action.match(WORD) ?? []);
    isTrimmed = after === '-';
    at = match.index + whole.length;
  }
  const rest = text.slice(at);
  pieces.push(isTrimmed ? rest.trimStart() : rest);
  const { nodes } = block(pieces, 0, false);
  return nodes;
}

function block(
  pieces: readonly (string | readonly string[])[],
  from: number,
  isInside: boolean,
): { readonly nodes: Node[]; readonly end: number; readonly word: string } {
  const nodes: Node[] = [];
  for (let at = from; at < pieces.length; at++) {
    const piece = pieces[at]!;
    if (typeof piece === 'string') {
      nodes.push({ kind: 'text', text: piece });
      continue;
    }
    const [word, ...words] = piece;
    if (word === 'end' || word === 'else') {
      if (!isInside || words.length > 0) throw new Error(`unexpected ${piece.join(' ')}`);
      return { nodes, end: at, word };
    }
    if (word === 'define') {
      const inner = block(pieces, at + 1, true);
      nodes.push({ kind: 'define', name: JSON.parse(words[0]!) as string, body: inner.nodes });
      at = inner.end;
    } else if (word === 'if' || word === 'with' || word === 'range') {
      const first = block(pieces, at + 1, true);
      const second = first.word === 'else' ? block(pieces, first.end + 1, true) : null;
      nodes.push({
        ...{ kind: 'block', word, words },
        ...{ body: first.nodes, otherwise: second?.nodes ?? [] },
      });
      at = (second ?? first).end;
    } else nodes.push({ kind: 'value', words: piece });
  }
  if (isInside) throw new Error('an {{ end }} is missing');
  return { nodes, end: pieces.length, word: '' };
}

function render(nodes: readonly Node[], scope: Scope): string {
  return nodes.map((node) => renderNode(node, scope)).join('');
}

function renderNode(node: Node, scope: Scope): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'define':
      return '';
    case 'value':
      return String(evaluate(node.words, scope) ?? '');
    case 'block':
      return node.word === 'range' ? renderRange(node, scope) : renderChoice(node, scope);
    default:
      return node satisfies never;
  }
}

function renderChoice(node: Node & { kind: 'block' }, scope: Scope): string {
  const value = evaluate(node.words, scope);
  if (!isTrue(value)) return render(node.otherwise, scope);
  return render(node.body, node.word === 'with' ? { ...scope, dot: value } : scope);
}

/** `range $name, $value := …` over a map, sorted by name, as in Go. */
function renderRange({ words, body }: Node & { kind: 'block' }, scope: Scope): string {
  const [key, comma, value, is, ...rest] = words;
  if (comma !== ',' || is !== ':=') throw new Error(`range ${words.join(' ')} is not understood`);
  const map = evaluate(rest, scope) ?? {};
  if (!isMap(map)) throw new Error(`range over ${JSON.stringify(map)}`);
  return Object.keys(map)
    .sort()
    .map((name) => {
      const variables = { ...scope.variables, [key!]: name, [value!]: map[name] };
      return render(body, { ...scope, variables });
    })
    .join('');
}

/** A pipeline: the result before a bar is the last argument after it. */
function evaluate(words: readonly string[], scope: Scope): unknown {
  const stages: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    depth += word === '(' ? 1 : word === ')' ? -1 : 0;
    if (word === '|' && depth === 0) stages.push([]);
    else stages.at(-1)!.push(word);
  }
  let piped: { readonly value: unknown } | null = null;
  for (const stage of stages) piped = { value: call(stage, piped, scope) };
  return piped!.value;
}

function call(
  words: readonly string[],
  piped: { readonly value: unknown } | null,
  scope: Scope,
): unknown {
  const [name, ...rest] = words;
  const used = FUNCTIONS[name ?? ''];
  if (used === undefined) {
    const [value, ...others] = operands(words, scope);
    if (others.length > 0 || piped !== null) throw new Error(`${words.join(' ')} is no function`);
    return value;
  }
  const given = operands(rest, scope);
  return used(scope, ...((piped === null ? given : [...given, piped.value]) as never[]));
}

function operands(words: readonly string[], scope: Scope): unknown[] {
  const values: unknown[] = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== '(') {
      values.push(operand(words[at]!, scope));
      continue;
    }
    let [depth, end] = [1, at + 1];
    for (; depth > 0; end++) depth += words[end] === '(' ? 1 : words[end] === ')' ? -1 : 0;
    values.push(evaluate(words.slice(at + 1, end - 1), scope));
    at = end - 1;
  }
  return values;
}

function operand(word: string, { dot, variables }: Scope): unknown {
  if (word.startsWith('"')) return JSON.parse(word);
  if (/^\d+$/.test(word)) return Number(word);
  if (word in variables) return variables[word];
  if (!word.startsWith('.')) throw new Error(`${word} is not understood`);
  let value = dot;
  for (const name of word.split('.').filter((part) => part !== '')) {
    if (!isMap(value)) throw new Error(`${word}: nil has no ${name}`);
    value = value[name];
  }
  return value;
}

const FUNCTIONS: Readonly<Record<string, (scope: Scope, ...given: never[]) => unknown>> = {
  and: (_, ...all: unknown[]) => all.find((value) => !isTrue(value)) ?? all.at(-1),
  default: (_, fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  fail: (_, message: string) => {
    throw new Error(message);
  },
  gt: (_, a: number, b: number) => a > b,
  include: (scope, name: string, dot: unknown) => {
    const body = scope.defined.get(name);
    if (body === undefined) throw new Error(`no template is called ${name}`);
    return render(body, { ...scope, dot, variables: {} });
  },
  int: (_, value: unknown) => Number(value),
  join: (_, separator: string, list: readonly unknown[]) => list.join(separator),
  nindent: (_, spaces: number, text: string) => `\n${text.replace(/^(?=.)/gm, ' '.repeat(spaces))}`,
  not: (_, value: unknown) => !isTrue(value),
  quote: (_, value: unknown) => JSON.stringify(String(value ?? '')),
  required: (_, message: string, value: unknown) => {
    if (value === undefined || value === null || value === '') throw new Error(message);
    return value;
  },
  toYaml: (_, value: unknown) => stringify(value).trimEnd(),
};

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

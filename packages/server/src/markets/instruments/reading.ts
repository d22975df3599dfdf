/** Reads entries and collects all faults with path and place, using substitutes. Values count only without faults. */

import { parseInstant } from '@tapeloom/core/instant-text';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { parseDecimalNanos } from '@tapeloom/core/price';
import { isUtcDay, utcDay } from '@tapeloom/core/utc-day';
import { didYouMean } from '../../config/nearest-name.ts';
import { isSafeName } from '../../tape/tape-paths.ts';
import type { Entry, Place } from './entry.ts';

const FAULTS_MAX = 100;
const SHOWN_CHARACTERS_MAX = 60;
const DATE_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;
const FIRST_DAY = utcDay(19700101);

export interface Fault extends Place {
  /** `datasets.GLBX.products.ES.tick`. */
  readonly path: string;
  readonly message: string;
}

/** The faults of a file, as sentences with their places. */
export class FaultsError extends Error {
  override readonly name = 'FaultsError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ path, message }) => `${path} ${message}`).join('\n'));
    this.faults = faults;
  }
}

export class Reading {
  readonly path: string;
  readonly #entry: Entry;
  readonly #faults: Fault[];

  constructor(entry: Entry, path = '', faults: Fault[] = []) {
    this.path = path;
    this.#entry = entry;
    this.#faults = faults;
  }

  /** This map, with a template's fields where it has none itself. */
  over(template: Entry): Reading {
    if (this.#entry.kind !== 'map' || template.kind !== 'map') return this;
    const fields = new Map([...template.fields, ...this.#entry.fields]);
    return new Reading({ ...this.#entry, fields }, this.path, this.#faults);
  }

  get isMap(): boolean {
    return this.#entry.kind === 'map';
  }

  get isList(): boolean {
    return this.#entry.kind === 'list';
  }

  get place(): Place {
    return this.#entry.place;
  }

  get hasFaults(): boolean {
    return this.#faults.length > 0;
  }

  /** Throws a `FaultsError` when there is any fault so far. */
  settle(): void {
    if (this.hasFaults) throw new FaultsError(this.#faults);
  }

  fault(message: string): void {
    if (this.#faults.length >= FAULTS_MAX) return;
    const { line, column } = this.#entry.place;
    const path = this.path || 'the file';
    // A fault of a range affects each of its contracts, and is recorded once.
    if (this.#faults.some((fault) => fault.path === path && fault.message === message)) return;
    this.#faults.push({ path, line, column, message });
  }

  /** Records a value of the wrong kind or form. */
  refuse(wanted: string): void {
    this.fault(`is ${shown(this.#entry)}; ${wanted} would do`);
  }

  text(wanted = 'a text'): string {
    if (this.#entry.kind === 'text' && this.#entry.text !== '') return this.#entry.text;
    this.refuse(wanted);
    return '';
  }

  /** The fields of a map; other names are faults. */
  fields(known: readonly string[]): Fields {
    const fields = this.named();
    for (const [name, field] of fields) {
      if (known.includes(name)) continue;
      const near = didYouMean(name, known);
      field.fault(`is not known here.${near || ` Known are ${known.join(', ')}.`}`);
    }
    return new Fields(this, fields);
  }

  /** The fields of a map with names of the operator's choice. */
  named(): ReadonlyMap<string, Reading> {
    if (this.#entry.kind !== 'map') {
      this.refuse('a map of names and values');
      return new Map();
    }
    const below = this.path === '' ? '' : `${this.path}.`;
    return new Map(
      [...this.#entry.fields].map(([name, entry]) => [
        name,
        new Reading(entry, `${below}${name}`, this.#faults),
      ]),
    );
  }

  list(countMax: number): readonly Reading[] {
    if (this.#entry.kind !== 'list') {
      this.refuse('a list');
      return [];
    }
    const { items } = this.#entry;
    if (items.length > countMax)
      this.fault(`has ${items.length} items; at most ${countMax} may be`);
    return items
      .slice(0, countMax)
      .map((entry, index) => new Reading(entry, `${this.path}[${index}]`, this.#faults));
  }

  /** One text, or a list of texts. */
  texts(countMax: number): readonly Reading[] {
    return this.isList ? this.list(countMax) : [this];
  }

  oneOf<const T extends string>(names: readonly T[]): T {
    const text = this.text(names.join(' or '));
    const found = names.find((name) => name === text);
    if (found === undefined && text !== '') {
      this.refuse(`${names.join(', ')}`);
    }
    return found ?? names[0]!;
  }

  /** A name that is also safe as a file name. */
  safeName(): string {
    const text = this.text('a name');
    if (text !== '' && !isSafeName(text)) {
      this.refuse(
        'up to 64 letters, digits, dots, hyphens and underscores, a letter or digit first,',
      );
    }
    return text;
  }

  whole(least: number, most: number): number {
    const text = this.text(`a whole number from ${least} to ${most}`);
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    if (text !== '') this.refuse(`a whole number from ${least} to ${most}`);
    return least;
  }

  /** A positive decimal, in 1e-9 of its unit, that a double holds exactly. */
  nanos(example: string): number {
    const wanted = `a decimal above 0 with at most nine places, as ${example},`;
    const text = this.text(wanted);
    const nanos = parseDecimalNanos(text);
    const value = Number(nanos ?? 0n);
    if (nanos !== null && nanos > 0n && BigInt(value) === nanos) return value;
    if (text !== '') this.refuse(wanted);
    return 1;
  }

  date(): UtcDay {
    const text = this.text('a date as 2026-11-16');
    const match = DATE_TEXT.exec(text);
    const day = match === null ? Number.NaN : Number(match[1]! + match[2]! + match[3]!);
    if (isUtcDay(day)) return day;
    if (text !== '') this.refuse('a date as 2026-11-16');
    return FIRST_DAY;
  }

  instant(): EpochNs {
    const wanted = 'a time as 2026-12-18T14:30:00Z';
    const text = this.text(wanted);
    const instant = parseInstant(text);
    if (instant !== null && instant > 0n) return instant;
    if (text !== '') this.refuse(wanted);
    return 1n as EpochNs;
  }
}

/** A map with known names: each field is present or absent. */
export class Fields {
  readonly whole: Reading;
  readonly #fields: ReadonlyMap<string, Reading>;

  constructor(whole: Reading, fields: ReadonlyMap<string, Reading>) {
    this.whole = whole;
    this.#fields = fields;
  }

  optional<T>(name: string, read: (field: Reading) => T): T | undefined {
    const field = this.#fields.get(name);
    return field === undefined ? undefined : read(field);
  }

  /** Records a fault when the field is missing; `otherwise` is the substitute. */
  required<T>(name: string, otherwise: NoInfer<T>, read: (field: Reading) => T): T {
    const field = this.#fields.get(name);
    if (field !== undefined) return read(field);
    this.whole.fault(`lacks "${name}"`);
    return otherwise;
  }
}

function shown(entry: Entry): string {
  if (entry.kind !== 'text') return `a ${entry.kind}`;
  if (entry.text === '') return 'empty';
  const text = entry.text.slice(0, SHOWN_CHARACTERS_MAX);
  return JSON.stringify(text.length < entry.text.length ? `${text}…` : text);
}

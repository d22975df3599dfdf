/**
 * Our schemas as a document publishes them: every object and every list of words has a name, stands in one place and is
 * referred to. The name is the schema's `title`, or else follows from its place, such as `OrderWithdrawal`. Sent
 * schemas are published open: fields and words may be added. Accepted schemas are published closed.
 */

import { isDeepStrictEqual } from 'node:util';

export type Schema = Readonly<Record<string, unknown>>;

/** `draft-07` for AsyncAPI, `2020-12` for OpenAPI 3.1. They write tuples differently. */
type Dialect = 'draft-07' | '2020-12';

/** The name of an object that has no fields yet. */
const NOTHING = 'Nothing';
const REF = '#/components/schemas/';

export class NamedSchemas {
  readonly #dialect: Dialect;
  readonly #given: ReadonlyMap<string, Schema>;
  readonly #schemas = new Map<string, Schema>();

  /** `given`: schemas that replace any schema with their title. */
  constructor(dialect: Dialect, given: readonly object[] = []) {
    this.#dialect = dialect;
    this.#given = new Map((given as Schema[]).map((schema) => [String(schema.title), schema]));
  }

  /** A schema of data that we send. */
  sent(schema: object, name: string): Schema {
    return this.#published(schema as Schema, name, true);
  }

  /** A schema of data that we accept. */
  taken(schema: object, name: string): Schema {
    return this.#published(schema as Schema, name, false);
  }

  all(): Schema {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #published(asked: Schema, place: string, isOpen: boolean): Schema {
    const name = nameOf(asked) ?? (isEmpty(asked) ? NOTHING : place);
    const schema = this.#given.get(name) ?? asked;
    const whole = this.#withParts(schema, name, isOpen);
    if (Array.isArray(schema.enum)) return this.#values(whole, name, isOpen);
    const isNamed = nameOf(schema) !== null || schema.properties !== undefined;
    return isNamed ? this.#named(whole, name) : whole;
  }

  #withParts(schema: Schema, name: string, isOpen: boolean): Schema {
    const parts: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      switch (key) {
        case 'title':
          if (nameOf(schema) === null) parts.title = value;
          break;
        case 'properties':
          parts.properties = Object.fromEntries(
            Object.entries(value as Record<string, Schema>).map(([field, inner]) => [
              field,
              this.#published(inner, name + pascal(field), isOpen),
            ]),
          );
          break;
        case 'items':
          if (value !== false)
            parts.items = this.#published(value as Schema, `${name}Item`, isOpen);
          break;
        case 'prefixItems':
          Object.assign(parts, this.#tuple(value as Schema[], name, isOpen));
          break;
        case 'anyOf':
        case 'oneOf':
          Object.assign(parts, this.#union(key, value as Schema[], name, isOpen));
          break;
        case 'patternProperties': {
          // Any name: tools call it a map.
          const [inner] = Object.values(value as Record<string, Schema>);
          const isAny = Object.keys(inner!).length === 0;
          parts.additionalProperties = isAny || this.#published(inner!, `${name}Value`, isOpen);
          break;
        }
        case 'additionalProperties':
          if (!isOpen || value !== false) parts[key] = value;
          break;
        default:
          parts[key] = value;
      }
    }
    return parts;
  }

  #tuple(places: readonly Schema[], name: string, isOpen: boolean): Schema {
    const items = places.map((place) => this.#published(place, `${name}Item`, isOpen));
    return this.#dialect === 'draft-07'
      ? { items, additionalItems: false }
      : // `maxItems` leaves no room for others; linters want `items` to be a schema.
        { prefixItems: items, items: {} };
  }

  #union(key: string, members: readonly Schema[], name: string, isOpen: boolean): Schema {
    const real = members.filter(({ type }) => type !== 'null');
    const takesText = members.some((member) => member.type === 'string' && !isWords(member));
    const published = members.flatMap((member) => {
      const place = real.length === 1 ? name : `${name}${real.indexOf(member) + 1}`;
      if (!isWords(member)) return [this.#published(member, place, isOpen)];
      const one = this.#published(member, place, isOpen && !takesText);
      // Open words are a union themselves.
      return Array.isArray(one.anyOf) ? (one.anyOf as Schema[]) : [one];
    });
    const tag = this.#dialect === '2020-12' ? tagOf(members) : null;
    if (tag === null) return { [key]: published };
    const mapping = members.map((member, at) => [constOf(member, tag), published[at]!.$ref]);
    const discriminator = { propertyName: tag, mapping: Object.fromEntries(mapping) };
    return { oneOf: published, discriminator };
  }

  /** The values become the named schema; a place's own texts stand beside the reference, if the dialect reads them. */
  #values(schema: Schema, name: string, isOpen: boolean): Schema {
    const { type = 'string', enum: values, ...rest } = schema;
    if (isOpen && isWords(schema)) {
      return { anyOf: [this.#named({ type, enum: values }, name), { type }], ...rest };
    }
    return this.#dialect === '2020-12'
      ? { ...this.#named({ type, enum: values }, name), ...rest }
      : this.#named({ type, enum: values, ...rest }, name);
  }

  #named(schema: Schema, name: string): Schema {
    const $ref = `${REF}${name}`;
    const before = this.#schemas.get(name);
    if (before === undefined) {
      this.#schemas.set(name, schema);
      return { $ref };
    }
    const { description, ...rest } = schema;
    const { description: first, ...same } = before;
    if (!isDeepStrictEqual(rest, same)) {
      throw new TypeError(`two schemas are called ${name}: give one of them another title`);
    }
    return description === first || description === undefined ? { $ref } : { $ref, description };
  }
}

/** Titles in small letters name the parts of a tuple. */
function nameOf({ title }: Schema): string | null {
  return typeof title === 'string' && /^[A-Z]/.test(title) ? title : null;
}

function isEmpty({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties as Schema).length === 0;
}

function isWords(schema: Schema): boolean {
  return Array.isArray(schema.enum) && schema.enum.every((word) => typeof word === 'string');
}

/** The property that distinguishes the members of a union: each is an object with one value for it. */
function tagOf(members: readonly Schema[]): string | null {
  const names = Object.keys((members[0]?.properties ?? {}) as Schema);
  return (
    names.find((name) => members.every((member) => constOf(member, name) !== undefined)) ?? null
  );
}

function constOf({ properties }: Schema, name: string): unknown {
  return (properties as Record<string, Schema> | undefined)?.[name]?.const;
}

function pascal(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

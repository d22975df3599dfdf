/**
 * Converts the form's input to the service's request, and the service's errors to sentences at their fields. Text on
 * one line is split at commas and spaces. Entries keep their order, so that an error's index identifies its entry.
 */

import type { PortalError } from '../../api/portal-error.ts';
import type { Environment, NewKey, Scope } from '../../api/portal-shapes.ts';

export const SCOPES: readonly { readonly scope: Scope; readonly text: string }[] = [
  { scope: 'stream', text: 'Live stream, tokens' },
  { scope: 'history', text: 'Queries and estimates' },
  { scope: 'export', text: 'Compressed files' },
  { scope: 'keys', text: 'Manage other keys' },
];

/** The fields in order, and the subject of each one's errors. */
const SUBJECTS = {
  name: 'The name',
  environment: 'The environment',
  scopes: 'The list of scopes',
  instruments: 'The list of instruments',
  allowedIps: 'The list of addresses',
  expiresAt: 'The expiry',
} as const;
export type FieldName = keyof typeof SUBJECTS;
const FIELDS = Object.keys(SUBJECTS) as FieldName[];
export type FieldErrors = Readonly<Partial<Record<FieldName, string>>>;

export interface KeyForm {
  readonly name: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  readonly instruments: readonly string[];
  /** As typed. */
  readonly allowedIps: string;
  /** A date field's value, in UTC: `2026-12-01T00:00`; empty: never. */
  readonly expiresAt: string;
}

export const EMPTY_FORM: KeyForm = {
  name: '',
  environment: 'live',
  scopes: ['stream', 'history'],
  instruments: [],
  allowedIps: '',
  expiresAt: '',
};

/** Faults that the browser can find. */
export function formErrors({ name, scopes }: KeyForm): FieldErrors {
  return {
    ...(name.trim() === '' ? { name: 'Give the key a name, so that you recognise it later.' } : {}),
    ...(scopes.length === 0
      ? { scopes: 'Choose at least one scope: a key without a scope can do nothing.' }
      : {}),
  };
}

/** The remaining faults: our own until the field is right, the service's until the field changes. */
export function shownErrors(
  form: KeyForm,
  own: FieldErrors,
  { error, sent }: { readonly error: PortalError | null; readonly sent: NewKey | null },
): FieldErrors {
  const wrong = formErrors(form);
  const now = newKeyOf(form);
  const isSame = (field: FieldName) => JSON.stringify(now[field]) === JSON.stringify(sent?.[field]);
  const told = Object.entries(serverErrors(error, sent)).filter(([field]) =>
    isSame(field as FieldName),
  );
  const still = Object.entries(own).filter(([field]) => wrong[field as FieldName] !== undefined);
  return Object.fromEntries([...told, ...still]);
}

export function newKeyOf(form: KeyForm): NewKey {
  const allowedIps = entriesOf(form.allowedIps);
  return {
    name: form.name.trim(),
    environment: form.environment,
    scopes: SCOPES.map(({ scope }) => scope).filter((scope) => form.scopes.includes(scope)),
    ...(form.instruments.length === 0 ? {} : { instruments: form.instruments }),
    ...(allowedIps.length === 0 ? {} : { allowedIps }),
    ...(form.expiresAt === '' ? {} : { expiresAt: instantOf(form.expiresAt) }),
  };
}

export function entriesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((entry) => entry !== ''))];
}

/** The service's faults as sentences at their fields, the first one per field. */
export function serverErrors(error: PortalError | null, sent: NewKey | null): FieldErrors {
  const found: Partial<Record<FieldName, string>> = {};
  for (const { path, message } of error?.errors ?? []) {
    const [, field, index] = path.split('/') as [string, string?, string?];
    if (!isField(field) || found[field] !== undefined) continue;
    found[field] = sentenceOf(field, entryOf(sent, field, index), message);
  }
  return found;
}

/** Whether there are faults that belong to no field of the form. */
export function hasOtherErrors(error: PortalError): boolean {
  return error.errors.length === 0 || error.errors.some(({ path }) => !isField(path.split('/')[1]));
}

export function firstField(errors: FieldErrors): FieldName | null {
  return FIELDS.find((field) => errors[field] !== undefined) ?? null;
}

function sentenceOf(field: FieldName, entry: string | null, message: string): string {
  const subject = entry === null ? SUBJECTS[field] : `“${entry}”`;
  // The schema validator writes NOT in capitals.
  const said = message.replace(/\bNOT\b/g, 'not');
  return `${subject} ${said}${/[.?]$/.test(said) ? '' : '.'}`;
}

function entryOf(sent: NewKey | null, field: FieldName, index: string | undefined): string | null {
  const list = sent?.[field];
  return index !== undefined && Array.isArray(list) ? (list[Number(index)] ?? null) : null;
}

function isField(name: string | undefined): name is FieldName {
  return FIELDS.some((field) => field === name);
}

/** A date field's value as UTC nanoseconds. The service rejects what does not parse. */
function instantOf(text: string): string {
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? text : `${BigInt(ms) * 1_000_000n}`;
}

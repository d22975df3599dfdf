/** The ids of indicators and the schemas of their data, from the catalogue, as both documents publish them. */

import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { indicatorTypeName } from '@tapeloom/protocol/indicator-types';
import type { TSchema, TUnsafe } from 'typebox';
import { Instant } from './instant-schema.ts';
import { namedObject, Type } from './schema.ts';

const definitions = publishedDefinitions();

/** The data of an object; the requested indicator determines its member of the union. */
export const IndicatorData: TSchema = Type.Union(
  definitions.map(({ id, name, data }) =>
    Type.Unsafe<object>({
      title: `${indicatorTypeName(id)}Data`,
      description: `An object of ${name}, \`${id}\`.`,
      ...data,
    }),
  ),
  {
    title: 'IndicatorData',
    description:
      'The data of one indicator: the one of the request or subscription. The name of a schema, without ' +
      '`Data`, is the name of its indicator.',
  },
);

/** An object of an indicator, in the catalogue and in pages. */
export const IndicatorObject = namedObject('IndicatorObject', {
  id: Type.String({ description: 'Id of the object, unique within the indicator.' }),
  final: Type.Boolean({
    description: 'The data of the object never changes again. The object may still be removed.',
  }),
  ts: Instant('Time of the object'),
  data: IndicatorData,
});

/** Any text, because indicators may be added; the present ones are listed. */
export function IndicatorId(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({
    title: 'IndicatorId',
    anyOf: [
      { title: 'KnownIndicatorId', enum: definitions.map(({ id }) => id) },
      { type: 'string', minLength: 1, maxLength: 64 },
    ],
    description,
  });
}

/** The JSON Schema of an indicator's `params`, made from its parameter definitions. Closed. */

import type { JsonSchema, ParameterDefinition } from '@tapeloom/core/studies/indicator';

export function paramsSchema(parameters: readonly ParameterDefinition[]): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      parameters.map((parameter) => [parameter.name, parameterSchema(parameter)]),
    ),
  };
}

function parameterSchema(parameter: ParameterDefinition): JsonSchema {
  return {
    ...valueSchema(parameter),
    // A default that depends on another parameter cannot be stated in a schema.
    ...(parameter.defaultBy === undefined ? { default: parameter.default } : {}),
    description: describedSteps(parameter),
  };
}

function valueSchema(parameter: ParameterDefinition): JsonSchema {
  const { type, minimum, maximum, multipleOf, minItems, maxItems, values } = parameter;
  const words: JsonSchema = { type: 'string', enum: values };
  if (type === 'string') return words;
  const own: JsonSchema = {
    type: type === 'integers' ? 'integer' : type,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(isWhole(multipleOf) ? { multipleOf } : {}),
  };
  if (type === 'integers') {
    return { type: 'array', items: own, minItems, maxItems, uniqueItems: true };
  }
  return values === undefined ? own : { anyOf: [words, own] };
}

/** A step such as 0.01 stands in the text: validators divide, and 1.15 / 0.01 is no whole number in doubles. */
function describedSteps({ description, multipleOf }: ParameterDefinition): string {
  if (multipleOf === undefined || isWhole(multipleOf)) return description;
  return `${description} In steps of ${multipleOf}.`;
}

function isWhole(step: number | undefined): boolean {
  return step !== undefined && Number.isInteger(step);
}

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
  const { type, minimum, maximum, multipleOf, values, defaultBy, description } = parameter;
  return {
    type,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(multipleOf === undefined ? {} : { multipleOf }),
    ...(values === undefined ? {} : { enum: values }),
    // A default that depends on another parameter is no default a schema can state.
    ...(defaultBy === undefined ? { default: parameter.default } : {}),
    description,
  };
}

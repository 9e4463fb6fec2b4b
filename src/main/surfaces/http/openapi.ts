import { z } from 'zod'
import { ERROR_STATUS } from '../../../shared/contract/errors.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import { exampleInput } from '../../dispatch/example-input.ts'

type Schema = z.core.JSONSchema.BaseSchema

/** Returns the API's description (OpenAPI 3.1), generated from the contract. */
export function describeApi(operations: readonly Operation[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const input = inputSchema(operation)
    paths[`/api/${operation.name}`] = { post: describe(operation, operation.name, [], input) }
    if (operation.http === undefined) continue
    const { method, path } = operation.http
    const address = path.replace(/:(\w+)/g, '{$1}')
    const parts = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
    const properties = Object.entries(input.properties ?? {})
    const parameters = properties
      .filter(([name]) => method === 'GET' || parts.includes(name))
      .map(([name, schema]) => ({
        name,
        in: parts.includes(name) ? 'path' : 'query',
        required: parts.includes(name) || (input.required?.includes(name) ?? false),
        schema,
      }))
    const id = `${operation.name}.${method.toLowerCase()}`
    paths[address] = {
      ...paths[address],
      [method.toLowerCase()]: describe(operation, id, parameters, method === 'GET' ? null : input),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Aspy', version, description: 'What passes between Claude Code and the Anthropic API.' },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'The file `token` in the data folder.' } },
      schemas: { Error: errorSchema },
    },
  }
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { enum: Object.keys(ERROR_STATUS) }, message: { type: 'string' } },
    },
  },
}

function describe(operation: Operation, id: string, parameters: readonly unknown[], body: Schema | null): unknown {
  const type = operation.answer === 'stream' ? 'text/event-stream' : 'application/json'
  return {
    operationId: id,
    summary: operation.summary,
    parameters,
    ...(body === null ? {} : { requestBody: { content: { 'application/json': describeBody(operation, body) } } }),
    responses: {
      200: {
        description: operation.answer === 'stream' ? 'A batch in each event.' : 'The answer.',
        content: { [type]: { schema: toSchema(operation.output, 'output') } },
      },
      default: {
        description: 'What went wrong, and what to do.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

/** Describes a body with an example, each variant of an input as one alternative. */
function describeBody(operation: Operation, schema: Schema): unknown {
  const { variants } = operation
  if (variants === undefined) {
    const example = exampleInput(operation)
    return example === null ? { schema } : { schema, example }
  }
  const { by, field, cases, example } = variants
  const each = Object.entries(cases)
  const oneOf = each.map(([value, { schema: fields }]) => ({
    title: value,
    type: 'object',
    required: [by, field],
    properties: { [by]: { const: value }, [field]: toSchema(fields, 'input') },
  }))
  const examples = each.map(([value, one]) => [value, { value: { ...example, [by]: value, [field]: one.example } }])
  return { schema: { ...schema, oneOf }, examples: Object.fromEntries(examples) }
}

function inputSchema(operation: Operation): Schema {
  return toSchema(operation.input, 'input')
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../shared/contract/index.ts'
import { MCP_CHARACTERS_PER_TOKEN, MCP_TOKEN_BUDGET, mcpTools } from '../../../shared/contract/mcp-tools.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import { leanArguments, leanSchema } from './lean-schema.ts'

const operations: readonly Operation[] = OPERATIONS
const tools = Object.values(mcpTools)
const target = { target: 'draft-2020-12' } as const

test('each of the fourteen tools belongs to one operation that only reads and answers once', () => {
  const owners = operations.filter(({ mcp }) => mcp !== undefined)
  expect(new Set(owners.map(({ mcp }) => mcp))).toEqual(new Set(tools))
  expect(owners).toHaveLength(14)
  for (const { name, writes, answer } of owners)
    expect({ name, writes, answer }).toEqual({ name, writes: false, answer: 'value' })
})

test('the definitions of all tools fit in their joint token budget', () => {
  const definitions = operations.flatMap(({ mcp, output }) => {
    if (mcp === undefined) return []
    const { name, description, input, answer } = mcp
    const inputSchema = leanArguments(input)['~standard'].jsonSchema.input(target)
    const outputSchema = answer === 'structured' ? leanSchema(output)['~standard'].jsonSchema.output(target) : undefined
    return [{ name, description, inputSchema, outputSchema }]
  })
  expect(definitions).toHaveLength(tools.length)
  const tokens = Math.ceil(JSON.stringify(definitions).length / MCP_CHARACTERS_PER_TOKEN)
  expect(tokens).toBeGreaterThan(MCP_TOKEN_BUDGET / 2)
  expect(tokens).toBeLessThan(MCP_TOKEN_BUDGET)
})

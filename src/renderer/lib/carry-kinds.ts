import type { CARRY_GROUPS } from '../../shared/contract/carry.ts'

const NONE: Readonly<Partial<Record<(typeof CARRY_GROUPS)[number], string>>> = {
  tool: 'No tool',
  mcp_server: 'No MCP server',
  file: 'No file',
  skill: 'No skill',
  agent: 'Main agent',
}

/** The name for blocks that belong to no group. */
export const carryNone = (by: (typeof CARRY_GROUPS)[number]): string => NONE[by] ?? 'None'

import type { CARRY_GROUPS } from '../../shared/contract/carry.ts'

const LABELS: Readonly<Record<string, string>> = {
  system_prompt: 'System prompt',
  tool_schema: 'Tool definitions',
  setup: 'System prompt, tools and instructions',
  claude_md: 'CLAUDE.md',
  skill: 'Skills',
  mcp_instructions: 'MCP instructions',
  reminder: 'Reminders',
  prompt: 'Prompts',
  answer: 'Answers',
  thinking: 'Thinking',
  summary: 'Compaction summaries',
  tool_call: 'Tool calls',
  tool_result: 'Tool results',
  file_read: 'Files read',
  image: 'Images',
  document: 'Documents',
  other: 'Other blocks',
  overhead: 'Unattributed',
  unknown: 'Unknown',
}

/** The name of a kind of context; a kind that this version does not know keeps its own. */
export const carryLabel = (kind: string): string => LABELS[kind] ?? kind

const NONE: Readonly<Partial<Record<(typeof CARRY_GROUPS)[number], string>>> = {
  tool: 'No tool',
  mcp_server: 'No MCP server',
  file: 'No file',
  skill: 'No skill',
  agent: 'Main agent',
}

/** The name for blocks that belong to no group. */
export const carryNone = (by: (typeof CARRY_GROUPS)[number]): string => NONE[by] ?? 'None'

import { INSTRUCTION_FILES } from './vendors.ts'

const LABELS: Readonly<Record<string, string>> = {
  system_prompt: 'System prompt',
  tool_schema: 'Tool definitions',
  setup: 'System prompt, tools and instructions',
  ...INSTRUCTION_FILES,
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

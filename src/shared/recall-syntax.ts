/** A part of the search syntax, with a query to try. */
export interface SyntaxExample {
  readonly example: string
  readonly meaning: string
}

/** The search syntax, the same in the window, on the command line, over HTTP and MCP. */
export const RECALL_SYNTAX: readonly SyntaxExample[] = [
  { example: 'why did we drop redis', meaning: 'words or a question, best match first' },
  { example: 'auth*', meaning: 'words that begin so' },
  { example: '"dark mode" theme', meaning: 'quotation: these words in this order' },
  { example: 'redis OR postgres', meaning: 'either; parentheses do not group' },
  { example: 'cache NOT redis', meaning: 'without a word; or -"some words"' },
  { example: 'rm -rf dist', meaning: 'commands, paths and errors: paste them as they are' },
  { example: 'theme kind:prompt', meaning: 'or thinking, answer, compaction, tool, episode, memory' },
  { example: 'project:shop', meaning: 'a folder, by its name or path' },
  { example: 'session:6513', meaning: 'a session, by the start of its ID' },
  { example: 'tool:bash', meaning: 'tool calls and results' },
  { example: 'model:opus', meaning: 'turns of a model, by a part of its name' },
  { example: 'agent:main', meaning: 'the main agent, or a subagent by type or ID' },
  { example: 'client:claude-code', meaning: 'sessions of a client' },
  { example: '-kind:thinking', meaning: 'without what any filter selects; also NOT kind:thinking' },
  { example: 'after:7d', meaning: 'the last 7 days; also before: and on:' },
  { example: 'before:yesterday', meaning: 'also 2026-03-04, 4 March, 04.03.2026, last Tuesday' },
]

const WIDTH = Math.max(...RECALL_SYNTAX.map(({ example }) => example.length)) + 2

/** The syntax as text for a terminal. */
export const RECALL_SYNTAX_HELP = [
  'What to search for:',
  ...RECALL_SYNTAX.map(({ example, meaning }) => `  ${example.padEnd(WIDTH)}${meaning}`),
  'If a value is unknown, it is searched as text and the answer lists those that exist.',
].join('\n')

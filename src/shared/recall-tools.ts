/** The server of the plugin's tools, as a rule of `permissions.allow` or of `--allowedTools` names it. */
export const RECALL_RULE = 'mcp__plugin_aspy_aspy'

/** What a fence holds if no text is quoted: a line that no quoted text can be. */
export const NOTHING_QUOTED = '(nothing)'

/** Returns whether the answer of a tool that quotes past texts quotes any. */
export const hasQuotes = (answer: string): boolean => !answer.split('\n').includes(NOTHING_QUOTED)

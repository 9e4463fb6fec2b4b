import { CLAUDE_SUGGESTION } from './claude-code/client-sentences.ts'

/** Returns true if a text asks the model to suggest the next prompt. */
export const asksForSuggestion = (text: string): boolean => text.includes(CLAUDE_SUGGESTION)

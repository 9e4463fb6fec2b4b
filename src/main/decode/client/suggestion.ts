import { CLAUDE_PAGE, CLAUDE_SUGGESTION } from './claude-code/client-sentences.ts'

/** Returns true if a text asks the model to suggest the next prompt. */
export const asksForSuggestion = (text: string): boolean => text.includes(CLAUDE_SUGGESTION)

/** Returns true if a text asks the model to read a page, for a call of the conversation. */
export const asksForPage = (text: string): boolean => CLAUDE_PAGE.test(text)

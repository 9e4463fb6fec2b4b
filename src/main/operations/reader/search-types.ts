import type { ParsedInput } from '../../../shared/contract/index.ts'
import type { DocType } from '../../store/read/recall-docs.ts'

/** Returns the types of texts that a search is for. */
export const typesOf = (input: Pick<ParsedInput<'recall.search'>, 'prompts' | 'thinking' | 'responses'>): DocType[] => [
  ...(input.prompts ? (['user_prompt'] as const) : []),
  ...(input.thinking ? (['thinking'] as const) : []),
  // The assistant writes summaries, so they count as responses.
  ...(input.responses ? (['assistant_response', 'compaction'] as const) : []),
]

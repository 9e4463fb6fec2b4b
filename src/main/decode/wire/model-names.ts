import { modelSpellings as ofAnthropic } from './anthropic-messages/model-names.ts'

/** One function per vendor that renamed its models. */
const SPELLINGS: readonly ((model: string) => readonly string[])[] = [ofAnthropic]

/**
 * Returns names under which a table may list a model, best first: as given; without suffixes for a context window or a
 * release date; in its vendor's current spelling. Never another version.
 */
export function modelNames(model: string): readonly string[] {
  const plain = model.replace(/\[[^\]]*\]$/, '')
  const undated = plain.replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
  return [...new Set([model, plain, undated, ...SPELLINGS.flatMap((spellings) => spellings(undated))])]
}

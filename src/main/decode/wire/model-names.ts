import { modelSpellings as ofAnthropic } from './anthropic-messages/model-names.ts'

/** One function per vendor that renamed its models. */
const SPELLINGS: readonly ((model: string) => readonly string[])[] = [ofAnthropic]

/**
 * Returns names under which a table may list a model, best first: as given; without a suffix for a context window or a
 * release date; without a gateway's path and variant (`openai/gpt-5.4:nitro`); in its vendor's current spelling. Never
 * another version.
 */
export function modelNames(model: string): readonly string[] {
  const plain = model.replace(/\[[^\]]*\]$/, '')
  const undated = withoutDate(plain)
  const hosted = plain.slice(plain.lastIndexOf('/') + 1)
  const bare = withoutDate(hosted.replace(/:[a-z][\w-]*$/, ''))
  return [...new Set([model, plain, undated, bare, ...SPELLINGS.flatMap((spellings) => spellings(hosted))])]
}

const withoutDate = (model: string): string => model.replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
